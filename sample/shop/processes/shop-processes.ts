import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Figures } from '../flash-sale/figures.js';
import type { ShopSettings } from '../shop.settings.js';
import { deleteKeys } from './delete-keys.js';
import { type Operator, ShopProcess } from './shop-process.js';

/** How long a killed process is away. */
const RESTART_MS = 5000;

/** Holds a sale in a shop without locks, and resolves with its figures. */
export type SellWithoutLocks = () => Promise<Figures>;

/** The processes of one shop behind one port: node:cluster distributes the connections in turn. */
export class ShopProcesses implements AsyncDisposable {
  private readonly members: ShopProcess[] = [];
  private readonly closing = new AbortController();
  private isAway = false;
  private isSelling = false;
  private openUrl = '';
  private reportEnd: (message: string) => void = () => undefined;
  private readonly oneEnded = new Promise<string>((resolve) => {
    this.reportEnd = resolve;
  });

  private constructor(
    private readonly settings: ShopSettings,
    private readonly sellWithoutLocks: SellWithoutLocks | undefined,
  ) {}

  static async start(settings: ShopSettings, sellWithoutLocks?: SellWithoutLocks): Promise<ShopProcesses> {
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: fileURLToPath(new URL('../shop.js', import.meta.url)), args: [] });
    const shop = new ShopProcesses(settings, sellWithoutLocks);
    const numbers = Array.from({ length: settings.processes }, (_, n) => n + 1);
    try {
      const [port] = await Promise.all(numbers.map((number) => shop.add(number, settings.port)));
      shop.openUrl = `http://127.0.0.1:${port}`;
      return shop;
    } catch (error) {
      await shop.close();
      throw error;
    }
  }

  get size(): number {
    return this.settings.processes;
  }

  /** The address of the shop. */
  get url(): string {
    return this.openUrl;
  }

  /** Resolves with a message when one of them has ended by itself. */
  whenOneEnds(): Promise<string> {
    return this.oneEnded;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    const { redisUrl, keyPrefix } = this.settings;
    if (redisUrl !== undefined) await deleteKeys(redisUrl, keyPrefix);
  }

  /** Starts a process, and resolves with its port. */
  private async add(processNumber: number, port: number): Promise<number> {
    const member = new ShopProcess({ ...this.settings, port, processNumber }, this.operate);
    this.members[processNumber - 1] = member;
    void member.whenEnded().then((message) => {
      if (message !== undefined && !this.closing.signal.aborted) this.reportEnd(message);
    });
    return member.whenOpen();
  }

  private async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.members.map((member) => member.close()));
  }

  private readonly operate: Operator = async ({ wanted, spare }, from) => {
    if (wanted === 'kill') return { killed: await this.killAnother(from, spare) };
    if (this.sellWithoutLocks === undefined) throw new Error('This shop is itself one of a comparison.');
    if (this.isSelling) throw new Error('A sale without locks is already running.');
    this.isSelling = true;
    try {
      return { figures: await this.sellWithoutLocks() };
    } finally {
      this.isSelling = false;
    }
  };

  /**
   * Kills a process and starts it again after a while.
   * @param than The number of the process that has to answer.
   * @param spare The process id of the one that holds the sale, if there is one.
   */
  private async killAnother(than: number, spare: number | undefined): Promise<number> {
    const others = this.members.filter(({ number, pid }) => number !== than && pid !== spare);
    const victim = others[Math.floor(Math.random() * others.length)];
    if (victim === undefined)
      throw new Error('There is no other process: this one has to answer, and a sale needs its own.');
    if (this.isAway) throw new Error('A process was killed a moment ago; wait until it runs again.');
    this.isAway = true;
    await victim.kill();
    void this.startAgain(victim.number);
    return victim.number;
  }

  private async startAgain(number: number): Promise<void> {
    try {
      await sleep(RESTART_MS, undefined, { signal: this.closing.signal });
      // As the others were given it: 0 is the port that they share already.
      await this.add(number, this.settings.port);
      this.isAway = false;
    } catch (error) {
      if (!this.closing.signal.aborted) this.reportEnd(error instanceof Error ? error.message : String(error));
    }
  }
}
