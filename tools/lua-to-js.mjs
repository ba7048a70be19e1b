// Translates the subset of Lua that scripts use into JavaScript, which calls lib/backend/memory/lua.ts as `L`.
// Every function returns the list of its results. What is not of the subset is refused, with its line.
import luaparse from 'luaparse';

/** Functions and tables of Lua and Redis that lua.ts provides. */
const LIBRARY = new Set([
  'redis',
  'string',
  'table',
  'math',
  'cjson',
  'tonumber',
  'tostring',
  'type',
  'unpack',
  'error',
]);
/** Words that JavaScript does not allow as names, and names of the translation itself. */
const TAKEN = new Set(
  (
    'arguments await case catch class const continue debugger default delete enum eval export extends finally import in ' +
    'instanceof interface let new null package private protected public static super switch this throw try typeof ' +
    'undefined var void with yield L KEYS ARGV'
  ).split(' '),
);

/** Of these, the value is true or false. */
const COMPARISONS = { '==': '===', '~=': '!==', '<': '<', '>': '>', '<=': '<=', '>=': '>=' };

const isCall = ({ type }) =>
  type === 'CallExpression' || type === 'StringCallExpression' || type === 'TableCallExpression';

/** Whether it stands for all results of a call. */
const hasSeveral = (expression) => isCall(expression) || expression.type === 'VarargLiteral';

/** The names that are known at a place, each with its name in JavaScript. */
class Scope {
  /** @param isTaken Whether JavaScript has such a name already, which may be needed in the value of a new one. */
  constructor(outer, isTaken = (name) => outer?.has(name) ?? false) {
    this.outer = outer;
    this.names = new Map();
    this.isTaken = isTaken;
  }

  declare(name) {
    let translated = TAKEN.has(name) || LIBRARY.has(name) ? `${name}_` : name;
    for (let number = 2; this.has(translated); number += 1) translated = `${name}${number}`;
    this.names.set(name, translated);
    return translated;
  }

  /** Whether this is a name in JavaScript here or outside. */
  has(translated) {
    return [...this.names.values()].includes(translated) || this.isTaken(translated);
  }

  find(name) {
    return this.names.get(name) ?? this.outer?.find(name);
  }
}

class Translation {
  constructor(source, refuse) {
    this.source = source;
    this.refuse = refuse;
    this.temporaries = 0;
  }

  temporary() {
    this.temporaries += 1;
    return `$${this.temporaries}`;
  }

  name({ name }, scope) {
    const found = scope.find(name);
    if (found !== undefined) return found;
    if (LIBRARY.has(name)) return `L.${name}`;
    if (name === 'KEYS' || name === 'ARGV') return name;
    return this.refuse(`'${name}' is not declared`);
  }

  /** Values in JavaScript, of which the last may be several. */
  values(expressions, scope) {
    return expressions
      .map((each, index) => {
        const isLast = index === expressions.length - 1;
        return isLast && hasSeveral(each) ? `...${this.results(each, scope)}` : this.value(each, scope);
      })
      .join(', ');
  }

  list(expressions, scope) {
    const [only] = expressions;
    return expressions.length === 1 && isCall(only) ? this.call(only, scope) : `[${this.values(expressions, scope)}]`;
  }

  results(expression, scope) {
    return expression.type === 'VarargLiteral' ? '$rest' : this.call(expression, scope);
  }

  /** A list of results. */
  call(expression, scope) {
    const { base, arguments: given } = expression;
    if (expression.type !== 'CallExpression') this.refuse('a call without parentheses');
    if (base.type === 'MemberExpression' && base.indexer === ':') {
      return `L.string.${base.identifier.name}(${this.values([base.base, ...given], scope)})`;
    }
    const called = this.value(base, scope);
    return `${base.type === 'FunctionDeclaration' ? `(${called})` : called}(${this.values(given, scope)})`;
  }

  /** A number in JavaScript, also of what is a text in Lua. */
  number(expression, scope) {
    const value = this.value(expression, scope);
    return this.isNumber(expression) ? value : `L.number(${value})`;
  }

  isNumber({ type, operator }) {
    if (type === 'NumericLiteral') return true;
    if (type === 'UnaryExpression') return operator !== 'not';
    return type === 'BinaryExpression' && operator !== '..' && !(operator in COMPARISONS);
  }

  text(expression, scope) {
    const value = this.value(expression, scope);
    return expression.type === 'StringLiteral' || expression.operator === '..' ? value : `L.text(${value})`;
  }

  /** True or false. */
  condition(expression, scope) {
    if (expression.type === 'LogicalExpression') {
      const operator = expression.operator === 'and' ? '&&' : '||';
      return `(${this.condition(expression.left, scope)} ${operator} ${this.condition(expression.right, scope)})`;
    }
    if (this.isBoolean(expression)) return this.value(expression, scope);
    return `L.isTrue(${this.value(expression, scope)})`;
  }

  isBoolean({ type, operator }) {
    if (type === 'BooleanLiteral' || (type === 'UnaryExpression' && operator === 'not')) return true;
    return type === 'BinaryExpression' && operator in COMPARISONS;
  }

  value(expression, scope) {
    const { type, operator, left, right } = expression;
    switch (type) {
      case 'Identifier':
        return this.name(expression, scope);
      case 'StringLiteral':
        return JSON.stringify(expression.value);
      case 'NumericLiteral':
      case 'BooleanLiteral':
        return String(expression.value);
      case 'NilLiteral':
        return 'undefined';
      case 'CallExpression':
      case 'StringCallExpression':
      case 'TableCallExpression':
        return `${this.call(expression, scope)}[0]`;
      case 'VarargLiteral':
        return '$rest[0]';
      case 'FunctionDeclaration':
        return this.function(expression, scope);
      case 'MemberExpression':
        return this.member(expression, scope);
      case 'IndexExpression':
        return `L.get(${this.value(expression.base, scope)}, ${this.value(expression.index, scope)})`;
      case 'LogicalExpression':
        return `L.${operator}(${this.value(left, scope)}, () => ${this.value(right, scope)})`;
      case 'UnaryExpression':
        if (operator === 'not') return `!${this.condition(expression.argument, scope)}`;
        if (operator === '#') return `L.length(${this.value(expression.argument, scope)})`;
        return `-${this.number(expression.argument, scope)}`;
      case 'BinaryExpression':
        return this.binary(expression, scope);
      case 'TableConstructorExpression':
        return this.table(expression, scope);
      default:
        return this.refuse(`an expression '${type}'`);
    }
  }

  binary({ operator, left, right }, scope) {
    if (operator in COMPARISONS) {
      return `(${this.value(left, scope)} ${COMPARISONS[operator]} ${this.value(right, scope)})`;
    }
    if (operator === '..') return `(${this.text(left, scope)} + ${this.text(right, scope)})`;
    const [a, b] = [this.number(left, scope), this.number(right, scope)];
    if (operator === '%') return `L.modulo(${a}, ${b})`;
    return `(${a} ${operator === '^' ? '**' : operator} ${b})`;
  }

  member({ base, identifier, indexer }, scope) {
    if (indexer !== '.') this.refuse('a method that is not called');
    const isLibrary = base.type === 'Identifier' && scope.find(base.name) === undefined && LIBRARY.has(base.name);
    if (isLibrary) return `L.${base.name}.${identifier.name}`;
    return `L.get(${this.value(base, scope)}, ${JSON.stringify(identifier.name)})`;
  }

  table({ fields }, scope) {
    const list = fields.filter(({ type }) => type === 'TableValue').map(({ value }) => value);
    const named = fields
      .filter(({ type }) => type !== 'TableValue')
      .map(({ type, key, value }) => {
        const name = type === 'TableKeyString' ? JSON.stringify(key.name) : this.value(key, scope);
        return `[${name}, ${this.value(value, scope)}]`;
      });
    return `L.tableOf([${this.values(list, scope)}]${named.length > 0 ? `, [${named.join(', ')}]` : ''})`;
  }

  function({ parameters, body }, outer) {
    const scope = new Scope(outer);
    const names = parameters.map(({ type, name }) => (type === 'VarargLiteral' ? '...$rest' : scope.declare(name)));
    return `(${names.join(', ')}) => {${this.block(body, scope)}}`;
  }

  /** The statements of a function or of a script, which end with a list of results. */
  block(body, scope) {
    const ends = body.at(-1)?.type === 'ReturnStatement';
    return `${this.statements(body, scope)}${ends ? '' : '\nreturn L.nothing;'}`;
  }

  inner(body, outer) {
    return `{${this.statements(body, new Scope(outer))}}`;
  }

  statements(body, scope) {
    return body.map((each) => `\n${this.statement(each, scope)}`).join('');
  }

  statement(statement, scope) {
    const { type, body } = statement;
    switch (type) {
      case 'LocalStatement':
        return this.local(statement, scope);
      case 'AssignmentStatement':
        return this.assignment(statement, scope);
      case 'CallStatement':
        return `${this.call(statement.expression, scope)};`;
      case 'IfStatement':
        return statement.clauses
          .map((clause) => {
            const inner = this.inner(clause.body, scope);
            return clause.type === 'ElseClause' ? inner : `if (${this.condition(clause.condition, scope)}) ${inner}`;
          })
          .join(' else ');
      case 'WhileStatement':
        return `while (${this.condition(statement.condition, scope)}) ${this.inner(body, scope)}`;
      case 'DoStatement':
        return this.inner(body, scope);
      case 'ForNumericStatement':
        return this.countingLoop(statement, scope);
      case 'ForGenericStatement':
        return this.listLoop(statement, scope);
      case 'FunctionDeclaration': {
        if (!statement.isLocal) this.refuse('a function that is not local');
        const name = scope.declare(statement.identifier.name);
        return `const ${name} = ${this.function(statement, scope)};`;
      }
      case 'ReturnStatement':
        // In Lua these parentheses cut a call to its first result, which the parser does not tell.
        if (/^return\s*\(/.test(this.source.slice(statement.range[0])) && statement.arguments.some(isCall)) {
          this.refuse('a returned call in parentheses; give its first result a name');
        }
        return `return ${this.list(statement.arguments, scope)};`;
      case 'BreakStatement':
        return 'break;';
      default:
        return this.refuse(`a statement '${type}'`);
    }
  }

  /** The values are read before the names are declared: these may hide others of the same name. */
  local({ variables, init }, scope) {
    const names = variables.map(({ name }) => name);
    if (init.length === 0) return `let ${names.map((name) => scope.declare(name)).join(', ')};`;
    const values = names.length === 1 && init.length === 1 ? this.value(init[0], scope) : this.list(init, scope);
    const declared = names.map((name) => scope.declare(name));
    return names.length === 1 && init.length === 1
      ? `let ${declared[0]} = ${values};`
      : `let [${declared.join(', ')}] = ${values};`;
  }

  assignment({ variables, init }, scope) {
    if (variables.length === 1 && init.length === 1)
      return this.assign(variables[0], this.value(init[0], scope), scope);
    const values = this.temporary();
    const assigned = variables.map((each, index) => this.assign(each, `${values}[${index}]`, scope));
    return [`const ${values} = ${this.list(init, scope)};`, ...assigned].join(' ');
  }

  assign(variable, value, scope) {
    if (variable.type === 'Identifier') {
      if (scope.find(variable.name) === undefined) this.refuse(`'${variable.name}' is not declared`);
      return `${scope.find(variable.name)} = ${value};`;
    }
    const { base, index, identifier } = variable;
    const place = index ? this.value(index, scope) : JSON.stringify(identifier.name);
    return `L.set(${this.value(base, scope)}, ${place}, ${value});`;
  }

  countingLoop({ variable, start, end, step, body }, outer) {
    const [from, to] = [this.number(start, outer), this.temporary()];
    const last = this.number(end, outer);
    const by = step === null ? 1 : luaNumber(step);
    if (by === undefined || by === 0) this.refuse('a loop whose step is not a number');
    const scope = new Scope(outer);
    const name = scope.declare(variable.name);
    const goesOn = `${name} ${by > 0 ? '<=' : '>='} ${to}`;
    return `for (let ${name} = ${from}, ${to} = ${last}; ${goesOn}; ${name} += ${by}) {${this.statements(body, scope)}}`;
  }

  listLoop({ variables, iterators, body }, outer) {
    const [iterator] = iterators;
    if (iterators.length !== 1 || iterator.base?.name !== 'ipairs') this.refuse('a loop over anything but ipairs()');
    const list = this.value(iterator.arguments[0], outer);
    const scope = new Scope(outer);
    const names = variables.map(({ name }) => scope.declare(name));
    return `for (const [${names.join(', ')}] of L.ipairs(${list})) {${this.statements(body, scope)}}`;
  }
}

const luaNumber = ({ type, value, operator, argument }) => {
  if (type === 'NumericLiteral') return value;
  return type === 'UnaryExpression' && operator === '-' ? -argument.value : undefined;
};

const parse = (text) =>
  luaparse.parse(text, { luaVersion: '5.1', encodingMode: 'pseudo-latin1', comments: false, ranges: true });

const scopeOf = (known) => {
  const scope = new Scope(undefined);
  for (const [name, translated] of known) scope.names.set(name, translated);
  return scope;
};

/**
 * Translates what a shared file declares.
 * @param known The JavaScript names of what it may use of other shared files, by their names in Lua.
 * @param taken All JavaScript names of other shared files.
 * @returns the declarations, and their names in JavaScript by those in Lua.
 */
export function translateShared(text, known, taken, refuse) {
  const scope = new Scope(scopeOf(known), (name) => taken.has(name));
  const code = new Translation(text, refuse).statements(parse(text).body, scope);
  return { code, names: scope.names };
}

/** Translates a script to a function of KEYS and ARGV, which returns the list of its results. */
export function translateScript(text, known, refuse) {
  return `(KEYS, ARGV) => {${new Translation(text, refuse).block(parse(text).body, new Scope(scopeOf(known)))}}`;
}
