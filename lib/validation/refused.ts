/** No value is assignable to it: the compiler prints it, with the reason, in the error for what does not fit. */
export interface Refused<Why extends string> {
  readonly refused: Why;
}

/** Options that exclude each other, with the values for which they do, and why. */
type Contradiction = readonly [options: object, why: string];

/** One option beside any of the others, whatever their values. */
export type Beside<One extends string, Others extends string> = Others extends unknown
  ? Readonly<Record<One | Others, string | number | boolean>>
  : never;

/** The type of one of the options `O`; `undefined` if it is not among them. */
export type Given<O, Name> = Name extends keyof O ? (0 extends 1 & O[Name] ? unknown : O[Name]) : undefined;

/** Whether the options `O` have all of these; of a union, all of one of them. */
type HasAll<O, Options> = Options extends unknown
  ? { [Name in keyof Options]: Given<O, Name> } extends Options
    ? true
    : never
  : never;

/** `unknown`, or refused for the first of the contradictions that are among the options `O`. */
export type CheckContradictions<O, All extends readonly Contradiction[]> = O extends unknown
  ? All extends readonly [infer First extends Contradiction, ...infer More extends readonly Contradiction[]]
    ? [HasAll<O, First[0]>] extends [never]
      ? CheckContradictions<O, More>
      : Refused<First[1]>
    : unknown
  : never;

/** Refused for a name that is not among the options `T`. */
export type CheckNames<O, T> = string extends keyof O
  ? unknown
  : Exclude<keyof O, keyof T> extends infer Other extends keyof O & string
    ? [Other] extends [never]
      ? unknown
      : Refused<`there is no option "${Other}"`>
    : unknown;

/** The options `T`, each for itself, whether they contradict each other or not. */
export type EachOf<T> = Partial<Pick<T, keyof T>>;
