/** Identifies a cell. */
export interface CellId {
  readonly kind: string;
  readonly scope: string;
  readonly position: string;
  readonly backend: string;
}

export interface PlannedCell extends CellId {
  /** The reason why there is nothing to run. */
  readonly reason?: string;
}

export interface CellResult extends CellId {
  /** The error of a failed cell; absent if it passed. */
  readonly error?: string;
}

/** A message of a process of the suite to the runner, one line each. */
export interface Message {
  readonly plan?: readonly PlannedCell[];
  readonly result?: CellResult;
  readonly unhandled?: readonly string[];
}

export const keyOf = ({ kind, scope, position, backend }: CellId): string =>
  [kind, scope, position, backend].join(' | ');
