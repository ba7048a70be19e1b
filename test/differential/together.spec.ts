import { compareBackends, together } from './comparison.js';

compareBackends([together]);
