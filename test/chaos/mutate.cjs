// Takes one protection out of the library. It is loaded before everything else (node --require), and replaces the text
// of a file as it is read. It changes nothing on disk.
const fs = require('node:fs');
const path = require('node:path');

const mutation = process.env.CHAOS_MUTATION;
if (mutation) {
  const edits = [JSON.parse(mutation)].flat();
  const { readFileSync } = fs;
  fs.readFileSync = (name, ...options) => {
    let text = readFileSync(name, ...options);
    for (const { file, find, replace } of edits) {
      if (name !== path.join(__dirname, '../../lib', file)) continue;
      const parts = String(text).split(find);
      if (parts.length !== 2) throw new Error(`${file} does not say this exactly once: ${find}`);
      text = parts.join(replace);
    }
    return text;
  };
}
