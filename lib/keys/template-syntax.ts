import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { type ArgumentPath, parsePath } from './argument-path.js';

/** A template taken apart: `literals[0] paths[0] literals[1] paths[1] … literals[n]`. */
export interface TemplateParts {
  readonly literals: readonly string[];
  readonly paths: readonly ArgumentPath[];
}

/** Takes a template apart. Throws LockNameError with the position (counted from 0) of what cannot be understood. */
export function parseTemplate(text: string): TemplateParts {
  refuseInterpolation(text);
  const literals: string[] = [];
  const paths: ArgumentPath[] = [];
  let literal = '';
  let end = 0;
  for (const token of text.matchAll(/\\<|<(?<path>[^<>]*)>|</g)) {
    literal += text.slice(end, token.index);
    end = token.index + token[0].length;
    if (token[0] === '\\<') {
      literal += '<';
      continue;
    }
    const path = parsePath(token.groups?.['path'] ?? '');
    if (path === undefined) throw misspelt(text, token[0], token.index);
    paths.push(path);
    literals.push(literal);
    literal = '';
  }
  literals.push(literal + text.slice(end));
  return { literals, paths };
}

/** In single or double quotes `${id}` is just text: every call would lock the same name. */
function refuseInterpolation(text: string): void {
  const position = text.indexOf('${');
  if (position === -1) return;
  const remedy = 'write <0> for the first argument, <0.id> for a property of it, or give a function of the arguments';
  const fault = `has "\${" at position ${position}, which is not replaced in a key template; ${remedy}`;
  throw templateError(text, fault, { position });
}

/** The error for a template, or for a call whose arguments do not fit it. */
export function templateError(
  template: unknown,
  fault: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): LockNameError {
  return new LockNameError(`The key template ${formatValue(template)} ${fault}`, {
    template: typeof template === 'string' ? template : undefined,
    details,
    cause,
  });
}

function misspelt(text: string, token: string, position: number): LockNameError {
  const fault = token === '<' ? 'an unclosed "<"' : `${formatValue(token)}, which names no argument,`;
  const remedy = String.raw`write <0> for the first argument, <0.customer.id> for a property of it, \< for a "<"`;
  return templateError(text, `has ${fault} at position ${position}; ${remedy}`, { position });
}
