// Names of studies: what their files are called.

export function slug(text) {
  const latin = text.toLowerCase().replaceAll("ß", "ss").normalize("NFD").replace(/\p{M}/gu, "");
  const plain = latin.replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-+|-+$/g, "").slice(0, 60);
}

// A name that nobody has yet.
export function freeName(wanted, taken) {
  const base = slug(wanted).slice(0, 54) || "study";
  let name = base;
  for (let n = 2; taken.has(name); n += 1) name = `${base}-${n}`;
  return name;
}
