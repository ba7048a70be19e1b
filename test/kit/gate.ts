/** A place where code under test stops until the test opens it. */
export class Gate {
  /** Resolves when the first call has reached {@link pass}. */
  readonly reached: Promise<void>;
  private arrive = (): void => {};
  private letThrough = (): void => {};
  private readonly opened: Promise<void>;

  constructor() {
    this.reached = new Promise((resolve) => (this.arrive = resolve));
    this.opened = new Promise((resolve) => (this.letThrough = resolve));
  }

  async pass(): Promise<void> {
    this.arrive();
    await this.opened;
  }

  /** Lets through all calls that wait here, and all that come later. */
  open(): void {
    this.letThrough();
  }
}
