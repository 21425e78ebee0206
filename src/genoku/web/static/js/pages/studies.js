// Studies: all of them, one of them, or a new one.

import { studyForm } from "../studies/form.js";
import { studyList } from "../studies/list.js";
import { studyPage } from "../studies/study.js";

export function show(main, query, [name] = []) {
  if (name) return studyPage(main, name);
  return query.has("new") ? studyForm(main) : studyList(main);
}
