/** What a process of the suite tells, a line each. */
export interface CellId {
  readonly kind: string;
  readonly scope: string;
  readonly position: string;
  readonly backend: string;
}

export interface PlannedCell extends CellId {
  /** Why there is nothing to run. */
  readonly reason?: string;
}

export interface CellResult extends CellId {
  /** Why it failed; absent where it passed. */
  readonly error?: string;
}

export interface Message {
  readonly plan?: readonly PlannedCell[];
  readonly result?: CellResult;
  readonly unhandled?: readonly string[];
}

export const keyOf = ({ kind, scope, position, backend }: CellId): string =>
  [kind, scope, position, backend].join(' | ');
