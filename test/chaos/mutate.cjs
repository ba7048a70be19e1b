// Loaded before everything else (node --require) in runs that take one protection out of the library: the file is read
// as if it said something else. Nothing on disk is changed.
const fs = require('node:fs');
const path = require('node:path');

const mutation = process.env.CHAOS_MUTATION;
if (mutation) {
  const { file, find, replace } = JSON.parse(mutation);
  const target = path.join(__dirname, '../../lib', file);
  const { readFileSync } = fs;
  fs.readFileSync = (name, ...options) => {
    const text = readFileSync(name, ...options);
    if (name !== target) return text;
    const parts = String(text).split(find);
    if (parts.length !== 2) throw new Error(`${file} does not say this exactly once: ${find}`);
    return parts.join(replace);
  };
}
