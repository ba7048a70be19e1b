// Loaded before each spec of the copy with probes: tells the reporter which code the spec reaches.
const { writeFileSync } = require('node:fs');

const reached = new Set();
globalThis.reached = (place) => reached.add(place);

afterAll(() => writeFileSync(process.env.REACHED_FILE, JSON.stringify([...reached])));
