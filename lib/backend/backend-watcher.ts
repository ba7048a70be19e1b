/** Who wants to know what becomes of the servers, beside what requests tell. */
export interface BackendWatcher {
  /** A server answers again that did not, or another one has taken its place: what was held may be gone. */
  returned(): void;
  /** A server's wall clock, by which leases end there, was set by so many ms; negative: back. */
  clockJumped(ms: number): void;
}

export const nobodyWatches: BackendWatcher = { returned: () => {}, clockJumped: () => {} };
