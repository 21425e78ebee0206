// What the server sends, as `/openapi.json` describes it, and shapes that several modules of the page share.

// ---- Puzzles

export interface Shape {
  side: number;
  boxRows: number;
  boxCols: number;
}

/** A puzzle as the page keeps it: one digit for each cell, 0 for a blank. */
export interface Puzzle extends Shape {
  digits: number[];
}

/** A puzzle as text, which is how it is stored, shared in links and sent to the server. */
export interface PuzzleText {
  puzzle: string;
  box?: string | null;
  name?: string;
}

/** A puzzle as the server describes it. */
export interface ServerPuzzle {
  puzzle: string;
  box: string;
  side: number;
  box_rows: number;
  box_cols: number;
  digits: number[];
  givens: number;
  name: string;
}

/** A puzzle to choose from; only bundled ones have a group, a description and a known number of solutions. */
export interface ListedPuzzle extends ServerPuzzle {
  group?: string;
  about?: string;
  solutions?: number | null;
}

export interface ImportedPuzzles {
  puzzles: ServerPuzzle[];
  more: number;
  bad: number;
  complaints: string[];
}

export type Verdict = "" | "clashes" | "none" | "unique" | "several" | "unknown";

export interface Rating {
  level: string;
  technique: string;
  steps: Record<string, number>;
  words: string;
}

export interface CheckedPuzzle {
  verdict: Verdict;
  words: string;
  rating: Rating | null;
}

/** A repeated digit: its cells, and the sentence that says so. */
export interface Clash {
  cells: number[];
  digit: number;
  words: string;
}

export interface Candidate {
  cell: number;
  digit: number;
}

export interface Hint {
  state: "step" | "solved" | "clashes" | "mistake" | "impossible";
  technique: string;
  level: string;
  about: string;
  explanation: string;
  cells: number[];
  unit_cells: number[];
  candidates: { cell: number; digits: number[] }[];
  placements: Candidate[];
  eliminations: Candidate[];
}

/** A candidate digit of a blank, as a hint shows it. */
export interface Note {
  digit: number;
  gone: boolean;
  placed: boolean;
}

// ---- Recipes

/** A value of a recipe: a number, a name, a list, or a part as a table. */
export type RecipeValue = string | number | boolean | null | undefined | RecipeValue[] | RecipeTable;

export interface RecipeTable {
  [key: string]: RecipeValue;
}

/** Changed values by their paths: { "selection.size": 5 }. */
export type Settings = Record<string, RecipeValue>;

/** An algorithm: a preset or a recipe, and the changes to it. */
export interface RecipeChoice {
  preset: string;
  recipe: RecipeTable | null;
  settings: Settings;
}

export interface Parameter {
  name: string;
  type: string;
  default: RecipeValue;
  choices: RecipeValue[];
  label: string; // the usual term for it; may be empty
}

/** A row of the catalogue: an algorithm, an operator or another part of a recipe. */
export interface Part {
  kind: string;
  name: string;
  doc: string;
  about: string;
  parameters: Parameter[];
}

export interface Preset {
  name: string;
  title: string;
  character: string; // what to expect of it; may be empty
  group: string;
  report: string;
  about: string;
  puzzle: string; // the name of its own puzzle, such as "charles-hard" or "empty 16"
  board: string; // its own puzzle, as text
  box: string;
  until: string;
  recipe: RecipeTable;
  variants: Record<string, string[]>;
}

export interface PresetDetails extends Preset {
  left_open: string[];
  differs: string[];
}

/** Why a recipe cannot run, the path of the value at fault, and values that would be accepted. */
export interface Problem {
  message: string;
  path: string;
  alternatives: { path: string; value: RecipeValue }[];
}

export interface CheckedRecipe {
  ok: boolean;
  recipe: RecipeTable | null;
  toml: string;
  name: string;
  until: string;
  problem: Problem | null;
}

/** An imported recipe file, which may hold a whole run. */
export interface RecipeFile {
  recipe: RecipeTable;
  name: string;
  until: string;
  puzzle: string;
  box: string;
  puzzle_name: string;
  seed: number | null;
}

// ---- Runs and races

export interface RunOptions {
  until: string;
  seed: number;
  speed: number | null; // steps per second; null: full speed
}

/** What a run is started with. */
export type RunPlan = PuzzleText & RecipeChoice & RunOptions & { paused?: boolean; allow_conflicts?: boolean };

/** What a race is started with. */
export interface RacePlan extends PuzzleText {
  puzzle: string;
  lanes: RecipeChoice[];
  until: string;
  seed: number;
  allow_conflicts?: boolean;
}

export type Phase = "waiting" | "running" | "paused" | "ended";

/** How a fitness function states a cost: `solved + per_cost * cost`. A negative `per_cost` rises to `solved`. */
export interface Scale {
  fitness: string; // its name in recipes, such as "complete-units"
  solved: number;
  per_cost: number;
}

export interface LaneFacts {
  name: string;
  preset: string;
  recipe: RecipeTable;
  settings: Settings;
  step_word: string;
  rate_word: string;
  population: number;
  scale: Scale | null; // null if the fitness counts errors left, or boards are partial
  partial: boolean; // whether boards may have open cells, which costs then count
}

/** A run or race on the server: what does not change while it runs, and its latest frame. */
export interface Facts extends ServerPuzzle {
  id: string;
  kind: "run" | "race";
  title: string;
  conflicts: string[]; // among the givens, a sentence each: with any, no board is a solution
  until: string;
  seed: number;
  lanes: LaneFacts[];
  frame: Frame;
}

/** One lane at one moment; a run has one lane. */
export interface LaneFrame {
  name: string;
  board: number[];
  units: number[]; // complete units of each cell, 0 to 3
  ended: string;
  solved: boolean;
  step: number;
  evaluations: number;
  moves: number;
  seconds: number;
  speed: number;
  best: number | null;
  mean: number | null;
  worst: number | null;
  cost: number | null; // the lowest of the run so far, that of the board shown
  id: number | null; // of the board shown
  errors: number | null; // digits missing from the units of the best board: 0 is solved
  own_score: string; // the cost as its report states it, or open cells; empty if that counts errors
  score: string; // both
  loss: number | null;
  diversity: number | null;
  rate: number | null;
  restarts: number;
  restarted: number | null; // the step of the last restart
}

export interface Frame {
  seq: number;
  phase: Phase;
  speed_limit: number | null;
  lanes: LaneFrame[];
  share: number | null; // of the budget that is spent
  left: number | null; // seconds
  standing: string;
  winner: number | null;
  by: "" | "solution" | "proof" | "errors" | "tie";
  verdict: string[];
}

/** What a live board draws. */
export type BoardFrame = Pick<LaneFrame, "board" | "units" | "step" | "score"> & Partial<LaneFrame>;

/** Why a session cannot be watched. */
export interface Trouble {
  kind: "server" | "gone" | "refused";
  resumable: boolean;
  step?: number;
  message: string;
}

/** The history of a run, one value for each recorded step. */
export interface Curve {
  step: number[];
  best: number[];
  mean: number[];
  worst: number[];
  errors: (number | null)[];
  diversity: (number | null)[];
  rate: (number | null)[];
  restarts: number[]; // the steps at which it started anew; of very many, some
}

export interface Population {
  step: number;
  size: number;
  ids: number[];
  costs: number[];
  first: number; // rank of the first map
  errors: number[]; // of the boards that have maps
  maps: string[]; // complete units of every cell, as digits
}

export interface Individual {
  id: number;
  cost: number;
  errors: number; // digits missing from the units: 0 is solved
  own_score: string; // the cost as its report states it, or open cells; empty if that counts errors
  score: string; // both
  board: number[];
  units: number[];
}

// ---- Studies

export interface Study {
  name: string;
  state: "running" | "waiting" | "stopping" | "stopped" | "done" | "faulty";
  question: string;
  planned: number | null;
  done: number;
  solved: number;
  failed: number;
  left: number | null;
  modified: number | null;
  by: string;
  said: string;
  // Only of one study, and only if its file can be read:
  size?: string;
  algorithms?: { name: string; until: string }[];
  puzzles?: StudiedPuzzle[];
  failures?: { algorithm: string; puzzle: string; seed: number; message: string }[];
}

export interface StudiedPuzzle {
  name: string;
  side: number;
  givens: number;
  conflicts: string[]; // among the givens, a sentence each: with any, no board is a solution
}

export interface StudyPlan {
  ok: boolean;
  problem: string;
  planned: number;
  size: string;
  puzzles: StudiedPuzzle[];
  estimate: {
    seconds: { about: number; most: number | null } | null;
    cores: number;
    pilots: number;
    failures: string[];
  } | null;
}

/** A puzzle of a study: bundled, as text, or a set to generate. */
export type StudyPuzzle =
  | { bundled: string }
  | PuzzleText
  | { generate: number; size: string; seed: number; level?: string };

// ---- Reports

export interface Verdicts {
  holds: number;
  fails: number;
  undecided: number;
}

export interface Claim {
  text: string;
  where: string;
  verdict: keyof Verdicts;
  because: string;
}

export interface ReadyPreset {
  name: string;
  about: string;
  puzzle_name: string;
  puzzle: string;
  box: string;
  until: string;
  allow_conflicts: boolean;
}

export interface Report {
  number: string;
  name: string;
  authors: string;
  title: string;
  year: number | null;
  summary: string;
  encoding: string;
  fitness: string;
  operators: string;
  claimed: string;
  found: string;
  presets: ReadyPreset[];
  verdicts: Verdicts | null;
}

/** A board that a report ran on, by its name there. */
export interface ReportBoard {
  name: string;
  note: string;
  puzzle: string;
  box: string;
  puzzle_name: string;
}

/** An algorithm that a report ran: a line of a table, a curve of a figure. */
export interface ReportSetting {
  row: string;
  about: string;
  board: string; // empty: each board of the experiment
  preset: string;
  settings: Settings;
  until: string;
  seed: number;
  own_puzzle: string; // the preset's
  own_until: string;
  printed: Record<string, string | number | null>;
}

export interface ReportExperiment {
  id: string;
  title: string;
  where: string;
  note: string;
  row_name: string;
  boards: string[];
  best: Record<string, string>; // by board, the row that the report calls the best
  settings: ReportSetting[];
}

export interface ReportRuns {
  boards: ReportBoard[];
  experiments: ReportExperiment[];
}

/** How far a reproduction on this machine is. */
export interface ReproductionWork {
  number: string;
  phase: "" | "starting" | "running" | "writing";
  study: string;
  done: number;
  planned: number;
  left: number | null;
  said: string;
}

export interface LocalReproduction {
  made: string;
  seeds: number | null;
  claims: Claim[];
}

export interface Reproduction {
  subtitle: string;
  summary: string;
  claims: Claim[];
  own: string;
  evidence: string;
  seconds: number;
  command: string;
  can_start: boolean;
  mine: LocalReproduction | null;
  work: ReproductionWork;
}

// ---- Lessons

export interface SceneBoard {
  title: string;
  digits: number[];
  paint: "plain" | "units" | "origin" | "group";
  colours: number[];
  clashes: number[];
  marked: number[];
  note: string;
}

export interface SceneBars {
  title: string;
  of: string;
  labels: string[];
  values: number[];
  chosen: number[];
  counts: number[];
}

export interface SceneCurve {
  title: string;
  across: string;
  values: number[];
  lowest: number | null;
  highest: number | null;
  every: number;
}

export interface Scene {
  name: string;
  label: string;
  about: string;
  side: number;
  box_rows: number;
  box_cols: number;
  givens: number[];
  steps: { text: string; boards: SceneBoard[]; bars: SceneBars[]; at: number | null }[];
  curves: SceneCurve[];
  pace: number; // seconds per step
}

export interface Chapter {
  name: string;
  title: string;
  words: string[];
  trial: { label: string; preset: string; puzzle: string; settings: Settings; until: string };
}

export interface Lesson {
  seed: number;
  scenes: Scene[];
  puzzle: string;
  box: string;
}

// ---- Requests: what each path answers

type Session = `/api/${"runs" | "races"}/${string}`;

export type GetAnswer<P extends string> =
  P extends "/api/puzzles" ? { puzzles: ListedPuzzle[] }
  : P extends "/api/catalogue" ? Part[]
  : P extends "/api/presets" ? Preset[]
  : P extends `/api/presets/${string}` ? PresetDetails
  : P extends `${Session}/curve` ? Curve
  : P extends `${Session}/population?${string}` ? Population
  : P extends `${Session}/individuals/${string}` ? Individual
  : P extends Session ? Facts
  : P extends "/api/studies" ? Study[]
  : P extends `/api/studies/${string}/results` ? { sections: { title: string; html: string }[] }
  : P extends `/api/studies/${string}` ? Study
  : P extends "/api/reports" ? Report[]
  : P extends `/api/reports/${string}/runs` ? ReportRuns
  : P extends `/api/reports/${string}/reproduction` ? Reproduction
  : P extends `/api/reports/${string}/progress` ? ReproductionWork
  : P extends "/api/lessons" ? Chapter[]
  : P extends `/api/lessons/${string}` ? Lesson
  : unknown;

export type PostAnswer<P extends string> =
  P extends "/api/puzzles/parse" | "/api/puzzles/generate" ? ServerPuzzle
  : P extends "/api/puzzles/import" ? ImportedPuzzles
  : P extends "/api/puzzles/check" ? CheckedPuzzle
  : P extends "/api/puzzles/hint" ? Hint
  : P extends "/api/recipes/check" ? CheckedRecipe
  : P extends "/api/recipes/read" ? RecipeFile
  : P extends `${Session}/control` ? Frame
  : P extends `/api/${"runs" | "races"}` | `${Session}/restore` ? Facts
  : P extends "/api/studies/plan" ? StudyPlan
  : P extends "/api/studies" | `/api/studies/${string}/${"run" | "stop"}` ? Study
  : P extends `/api/reports/${string}/${"reproduction" | "stop"}` ? ReproductionWork
  : unknown;

// ---- Elements

/** What `h` puts into an element; lists may be nested, and what is not there is left out. */
export type Child = Node | string | number | false | null | undefined | Child[];

type AttributeValue = string | number | boolean | null | undefined;

type AttributeName =
  | "accept" | "autocapitalize" | "autocomplete" | "checked" | "class" | "download" | "for" | "height" | "hidden"
  | "href" | "id" | "inputmode" | "label" | "list" | "max" | "maxlength" | "min" | "name" | "open" | "pattern"
  | "placeholder" | "readonly" | "rel" | "required" | "role" | "rows" | "scope" | "spellcheck" | "step"
  | "tabindex" | "target" | "title" | "type" | "value" | "width";

export type Attributes = { [name in AttributeName]?: AttributeValue }
  & { [name: `aria-${string}` | `data-${string}`]: AttributeValue }
  & { [name in keyof GlobalEventHandlersEventMap as `on${name}`]?: (event: GlobalEventHandlersEventMap[name]) => unknown };
