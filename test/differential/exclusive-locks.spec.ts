import { compareKindsOf } from './comparison.js';

compareKindsOf('exclusive-locks');
