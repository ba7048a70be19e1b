import { alone, compareBackends } from './comparison.js';

compareBackends(alone(['the plain lock', 'the fenced lock', 'the group lock', 'the fair lock']));
