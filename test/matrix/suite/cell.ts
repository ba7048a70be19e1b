import { Scope } from '@nestjs/common';

export const SCOPES = { singleton: Scope.DEFAULT, request: Scope.REQUEST, transient: Scope.TRANSIENT } as const;

/** How long Nest keeps an instance of the class. */
export type ScopeName = keyof typeof SCOPES;

/**
 * Where `@Locked` stands as seen from Nest's own decorator; `alone` where a method of this kind has none, `either` where
 * it does not matter, since there is nothing to run.
 */
export type Position = 'above' | 'below' | 'alone' | 'either';

export interface Place {
  readonly kind: string;
  readonly scope: ScopeName;
  readonly position: Position;
}

/** One thing to be shown by a run. Fails by throwing. */
export interface Cell extends Place {
  readonly check: () => Promise<void>;
}

/** What makes no sense, and why. */
export interface Blank extends Place {
  readonly reason: string;
}

/** What a file of kinds/ has to show. */
export type Cells = readonly (Cell | Blank)[];

export const POSITIONS = ['above', 'below'] as const;

/** The same check in both positions. */
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

/** Of what holds handlers. */
export const noTransient = (kind: string): Blank =>
  blank(
    kind,
    'transient',
    'Nothing injects what holds handlers, so there are no consumers that each could get an instance of their own.',
  );
