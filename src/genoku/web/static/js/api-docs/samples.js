// A request as a person would type it: with curl, and in Python without anything to install.

// Quoted for a shell.
const quoted = (text) => `'${text.replace(/'/g, "'\\''")}'`;

// A value as Python writes it.
function python(value, indent = 0) {
  const space = " ".repeat(indent + 4);
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  const end = " ".repeat(indent);
  const inside = (each) => python(each, indent + 4);
  if (Array.isArray(value)) {
    return value.length ? `[\n${value.map((each) => `${space}${inside(each)},\n`).join("")}${end}]` : "[]";
  }
  if (typeof value === "object") {
    const entries = Object.entries(value);
    if (!entries.length) return "{}";
    const lines = entries.map(([key, each]) => `${space}${JSON.stringify(key)}: ${inside(each)},\n`);
    return `{\n${lines.join("")}${end}}`;
  }
  return JSON.stringify(value);
}

export function curlSample({ method, address, body, streams }) {
  const words = ["curl"];
  if (streams) words.push("--no-buffer");
  if (method !== "GET") words.push("-X", method);
  if (body !== undefined) {
    words.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body, null, 2)));
  }
  return `${words.join(" ")} \\\n  ${quoted(address)}`;
}

export function pythonSample({ method, address, body, streams, isJson }) {
  const lines = ["import json", "from urllib.request import Request, urlopen", ""];
  if (body === undefined) lines.push(`request = Request(${JSON.stringify(address)}, method="${method}")`);
  else {
    lines.push(`body = ${python(body)}`, "request = Request(", `    ${JSON.stringify(address)},`,
      "    data=json.dumps(body).encode(),", '    headers={"Content-Type": "application/json"},',
      `    method="${method}",`, ")");
  }
  lines.push("with urlopen(request) as answer:");
  if (streams) {
    lines.push("    for line in answer:  # events come as they happen", '        if line.startswith(b"data: "):',
      "            print(json.loads(line[6:]))");
  } else if (isJson) lines.push("    print(json.load(answer))");
  else lines.push("    content = answer.read()");
  if (!lines.some((line, i) => i > 0 && line.includes("json."))) lines.shift();
  return lines.join("\n");
}
