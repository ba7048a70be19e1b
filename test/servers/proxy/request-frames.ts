const CRLF = '\r\n';

/** Splits what a Redis client sends into whole commands, wherever the network happened to split it. */
export class RequestFrames {
  private rest = Buffer.alloc(0);

  push(chunk: Buffer): Buffer[] {
    this.rest = Buffer.concat([this.rest, chunk]);
    const frames: Buffer[] = [];
    for (let end = frameEnd(this.rest); end !== undefined; end = frameEnd(this.rest)) {
      frames.push(this.rest.subarray(0, end));
      this.rest = this.rest.subarray(end);
    }
    return frames;
  }
}

/** The end of the first command, or undefined while some of it is missing. */
function frameEnd(bytes: Buffer): number | undefined {
  const header = lineAt(bytes, 0);
  if (header === undefined) return undefined;
  // A line that is no array is an inline command.
  if (!header.text.startsWith('*')) return header.next;
  let position = header.next;
  for (let left = Number(header.text.slice(1)); left > 0; left--) {
    const length = lineAt(bytes, position);
    if (length === undefined) return undefined;
    position = length.next + Number(length.text.slice(1)) + CRLF.length;
  }
  return position <= bytes.length ? position : undefined;
}

function lineAt(bytes: Buffer, start: number): { text: string; next: number } | undefined {
  const end = bytes.indexOf(CRLF, start);
  return end === -1 ? undefined : { text: bytes.toString('latin1', start, end), next: end + CRLF.length };
}
