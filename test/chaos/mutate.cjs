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
    for (const { file, find, times = 1, replace } of edits) {
      if (name !== path.join(__dirname, '../../lib', file)) continue;
      const parts = String(text).split(find);
      if (parts.length !== times + 1) throw new Error(`${file} does not say this ${times} time(s): ${find}`);
      text = parts.join(replace);
    }
    return text;
  };
}
