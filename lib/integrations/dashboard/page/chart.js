import { setAttribute, setText } from './elements.js';
import { duration } from './text.js';

const HEIGHT = 16;
const WIDTH = 0.8;

/** Shows the longest time of each period as a bar. */
export const showChart = (figure, { average, longest, bars }, what) => {
  // A scale of its own for each chart, but not one on which a few milliseconds look long.
  const highest = Math.max(50, longest);
  const parts = bars.map((value, index) => {
    if (value < 0) return '';
    // Short times must not look like none.
    const height = Math.max(0.8, (value / highest) * HEIGHT).toFixed(2);
    return `M${index} ${HEIGHT}v-${height}h${WIDTH}v${height}z`;
  });
  const isEmpty = bars.every((value) => value < 0);
  const text = isEmpty ? 'not lately' : `${duration(average)} on average, ${duration(longest)} at most`;
  setText(figure.querySelector('span'), text);
  setAttribute(figure.querySelector('path'), 'd', parts.join(''));
  setAttribute(figure.querySelector('svg'), 'aria-label', `${what} in each 5 seconds of the last 5 minutes: ${text}`);
};
