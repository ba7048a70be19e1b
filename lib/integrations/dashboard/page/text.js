/** Characters that change the direction of text, hide it or break a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const LONGEST = 120;
const END = 30;

/** A text with its unprintable characters as codes, so that a name cannot look like another one. */
export const printable = (text) =>
  text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0).toString(16)}}`);

/** The same, with the middle of a long text left out. */
export const short = (text) => {
  const characters = [...printable(text)];
  if (characters.length <= LONGEST) return characters.join('');
  return `${characters.slice(0, LONGEST - END).join('')} … ${characters.slice(-END).join('')}`;
};

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** `340 ms`, `12.3 s`, `5 min 7 s`, `3 h 12 min`, `2 d 4 h`. */
export const duration = (ms) => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1000);
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.floor(minutes / 1440)} d ${Math.floor(minutes / 60) % 24} h`;
};

/** A time of today by its clock, an earlier one with its day. */
export const clock = (at, now) => {
  const [date, today] = [new Date(at), new Date(now)];
  const time = date.toLocaleTimeString();
  return date.toDateString() === today.toDateString() ? time : `${date.toLocaleDateString()} ${time}`;
};
