import { Scope } from '@nestjs/common';

export const SCOPES = { singleton: Scope.DEFAULT, request: Scope.REQUEST, transient: Scope.TRANSIENT } as const;

/** Nest's scope of a class. */
export type ScopeName = keyof typeof SCOPES;

/**
 * Position of `@Locked` as seen from Nest's own decorator: `alone` if a method of this kind has none, `either` if there
 * is nothing to run.
 */
export type Position = 'above' | 'below' | 'alone' | 'either';

export interface Place {
  readonly kind: string;
  readonly scope: ScopeName;
  readonly position: Position;
}

/** One case of the matrix. Its check throws if it fails. */
export interface Cell extends Place {
  readonly check: () => Promise<void>;
}

/** A combination that makes no sense, with the reason. */
export interface Blank extends Place {
  readonly reason: string;
}

/** All cases of a file in kinds/. */
export type Cells = readonly (Cell | Blank)[];

export const POSITIONS = ['above', 'below'] as const;

/** Creates a cell with the same check for both positions. */
export const inBothPositions = (
  kind: string,
  scope: ScopeName,
  check: (position: (typeof POSITIONS)[number]) => Promise<void>,
): Cell[] => POSITIONS.map((position) => ({ kind, scope, position, check: () => check(position) }));

export const blank = (kind: string, scope: ScopeName, reason: string): Blank => ({
  kind,
  scope,
  position: 'either',
  reason,
});

/** The blank for the transient scope of classes with handlers. */
export const noTransient = (kind: string): Blank =>
  blank(
    kind,
    'transient',
    'Classes with handlers are injected nowhere, so there is no consumer that could get an instance of its own.',
  );
