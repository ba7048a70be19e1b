/** A place where code under test stops until the test lets it go on. */
export class Pause {
  /** Resolves when somebody has come {@link here}. */
  readonly reached: Promise<void>;
  private arrive = (): void => {};
  private letGo = (): void => {};
  private readonly over: Promise<void>;

  constructor() {
    this.reached = new Promise((resolve) => (this.arrive = resolve));
    this.over = new Promise((resolve) => (this.letGo = resolve));
  }

  async here(): Promise<void> {
    this.arrive();
    await this.over;
  }

  /** Lets go whoever is here, and whoever will be. */
  end(): void {
    this.letGo();
  }
}
