const SLOTS = 16_384;

/** CRC16/XMODEM, one entry for each value of the byte that leaves the register. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

/** The part of a key that determines its slot: the content of the first braces, or the whole key if that is empty. */
export function routedPart(key: string): string {
  const open = key.indexOf('{');
  const close = open === -1 ? -1 : key.indexOf('}', open + 1);
  return close > open + 1 ? key.slice(open + 1, close) : key;
}

/** The Redis Cluster slot of a key, 0 … 16383. */
export function hashSlot(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(routedPart(key))) {
    crc = ((crc << 8) ^ (TABLE[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  }
  return crc % SLOTS;
}

/** Whether one script may access both keys in a cluster. */
export function sameSlot(a: string, b: string): boolean {
  return hashSlot(a) === hashSlot(b);
}
