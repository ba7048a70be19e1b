const PACKET_BYTES = 32;
const FINAL_ROUNDS = 6;
const LOW_HALF = 0xffffffffn;

const MUL0 = [0xdbe6d5d5fe4cce2fn, 0xa4093822299f31d0n, 0x13198a2e03707344n, 0x243f6a8885a308d3n];
const MUL1 = [0x3bd39e10cb0ef593n, 0xc0acf169b5f18a8cn, 0xbe5466cf34e90c6cn, 0x452821e638d01377n];

/** Four 64-bit words with wrapping arithmetic. */
class Lanes extends BigUint64Array {
  lane(index: number): bigint {
    return this[index] ?? 0n;
  }
}

const swapHalves = (word: bigint): bigint => (word >> 32n) | (word << 32n);

const rotateHalves = (word: bigint, count: bigint): bigint => {
  const rotate = (half: bigint): bigint => ((half << count) | (half >> (32n - count))) & LOW_HALF;
  return (rotate(word >> 32n) << 32n) | rotate(word & LOW_HALF);
};

/** Permutes the bytes of a pair of words: the mixing that addition and multiplication do not do. */
const zippedLow = (high: bigint, low: bigint): bigint =>
  (((low & 0xff000000n) | (high & 0xff00000000n)) >> 24n) |
  (((low & 0xff0000000000n) | (high & 0xff000000000000n)) >> 16n) |
  (low & 0xff0000n) |
  ((low & 0xff00n) << 32n) |
  ((high & 0xff00000000000000n) >> 8n) |
  (low << 56n);

const zippedHigh = (high: bigint, low: bigint): bigint =>
  (((high & 0xff000000n) | (low & 0xff00000000n)) >> 24n) |
  (high & 0xff0000n) |
  ((high & 0xff0000000000n) >> 16n) |
  ((high & 0xff00n) << 24n) |
  ((low & 0xff000000000000n) >> 8n) |
  ((high & 0xffn) << 48n) |
  (low & 0xff00000000000000n);

const addZipped = (from: Lanes, to: Lanes): void => {
  for (const low of [0, 2]) {
    const pair = [from.lane(low + 1), from.lane(low)] as const;
    to[low] = to.lane(low) + zippedLow(...pair);
    to[low + 1] = to.lane(low + 1) + zippedHigh(...pair);
  }
};

class State {
  private readonly v0: Lanes;
  private readonly v1: Lanes;
  private readonly mul0 = Lanes.from(MUL0) as Lanes;
  private readonly mul1 = Lanes.from(MUL1) as Lanes;

  constructor(key: readonly bigint[]) {
    this.v0 = Lanes.from(key, (word, i) => word ^ this.mul0.lane(i)) as Lanes;
    this.v1 = Lanes.from(key, (word, i) => BigInt.asUintN(64, swapHalves(word)) ^ this.mul1.lane(i)) as Lanes;
  }

  update(lanes: readonly bigint[]): void {
    const { v0, v1, mul0, mul1 } = this;
    lanes.forEach((lane, i) => {
      v1[i] = v1.lane(i) + mul0.lane(i) + lane;
      mul0[i] = mul0.lane(i) ^ ((v1.lane(i) & LOW_HALF) * (v0.lane(i) >> 32n));
      v0[i] = v0.lane(i) + mul1.lane(i);
      mul1[i] = mul1.lane(i) ^ ((v0.lane(i) & LOW_HALF) * (v1.lane(i) >> 32n));
    });
    addZipped(v1, v0);
    addZipped(v0, v1);
  }

  updateWithPacket(packet: Buffer): void {
    this.update([0, 8, 16, 24].map((offset) => packet.readBigUInt64LE(offset)));
  }

  /** @param rest The last bytes, fewer than a packet. */
  updateWithRest(rest: Buffer): void {
    const size = BigInt(rest.length);
    this.v0.forEach((word, i) => (this.v0[i] = word + (size << 32n) + size));
    this.v1.forEach((word, i) => (this.v1[i] = rotateHalves(word, size)));
    this.updateWithPacket(padded(rest));
  }

  hash128(): Buffer {
    const { v0, v1, mul0, mul1 } = this;
    for (let round = 0; round < FINAL_ROUNDS; round++) this.update([2, 3, 0, 1].map((i) => swapHalves(v0.lane(i))));
    const hash = Buffer.alloc(16);
    for (const i of [0, 1]) {
      const word = v0.lane(i) + mul0.lane(i) + v1.lane(i + 2) + mul1.lane(i + 2);
      hash.writeBigUInt64BE(BigInt.asUintN(64, word), 8 * i);
    }
    return hash;
  }
}

/**
 * Pads the last bytes to a packet. Whole words stay in place. From 16 bytes on, the last four bytes are repeated at the
 * end; below that, the one to three odd bytes go to offset 16.
 */
const padded = (rest: Buffer): Buffer => {
  const packet = Buffer.alloc(PACKET_BYTES);
  const odd = rest.length % 4;
  const whole = rest.length - odd;
  rest.copy(packet, 0, 0, whole);
  if (rest.length >= 16) rest.copy(packet, 28, rest.length - 4);
  else if (odd > 0)
    packet.set(
      [whole, whole + (odd >> 1), whole + odd - 1].map((i) => rest[i] ?? 0),
      16,
    );
  return packet;
};

/**
 * HighwayHash with a 128-bit result, first word first, each word in big-endian order.
 * @param key Four 64-bit words.
 */
export const highwayHash128 = (bytes: Buffer, key: readonly [bigint, bigint, bigint, bigint]): Buffer => {
  const state = new State(key);
  const whole = bytes.length - (bytes.length % PACKET_BYTES);
  for (let offset = 0; offset < whole; offset += PACKET_BYTES) state.updateWithPacket(bytes.subarray(offset));
  if (whole < bytes.length) state.updateWithRest(bytes.subarray(whole));
  return state.hash128();
};
