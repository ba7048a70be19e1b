import { compareKindsOf } from './comparison.js';

compareKindsOf('shared-kinds');
