import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { opensslBinary } from '../install.js';
import { removeWithUs, type Reaper } from '../process/reaper.js';

/**
 * Certificates: of the `server` on loopback (127.0.0.1, localhost), of a `client`, and three invalid ones: one that
 * `expired`, one of `anotherAuthority`, one for `anotherName`. Each can be used by a server and by a client.
 */
export type Identity = 'server' | 'client' | 'expired' | 'anotherAuthority' | 'anotherName';

export interface CertificateFiles {
  /** Certificate of the trusted authority. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** The option `tls` of a client. */
export interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

interface Issue {
  readonly by: string;
  /** Section of the settings that lists its names. */
  readonly names: 'here' | 'elsewhere';
  readonly from: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;
const valid: Issue = { by: 'authority', names: 'here', from: -1, to: 2 };

const ISSUES: Readonly<Record<Identity, Issue>> = {
  server: valid,
  client: valid,
  expired: { ...valid, from: -3, to: -1 },
  anotherAuthority: { ...valid, by: 'another-authority' },
  anotherName: { ...valid, names: 'elsewhere' },
};

const SETTINGS = `
[req]
prompt = no
distinguished_name = subject
x509_extensions = authority
[subject]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[ca]
default_ca = issue
[issue]
database = issued
serial = serial
new_certs_dir = .
default_md = sha256
unique_subject = no
policy = any
[any]
commonName = supplied
[here]
subjectAltName = IP:127.0.0.1, DNS:localhost
extendedKeyUsage = serverAuth, clientAuth
[elsewhere]
subjectAltName = DNS:redis.example.com
extendedKeyUsage = serverAuth, clientAuth
`;

const execute = promisify(execFile);

/** Certificates of a server and its clients, valid and invalid, in a folder of their own. */
export class Certificates {
  private readonly reaper: Reaper;

  private constructor(readonly folder: string) {
    this.reaper = removeWithUs(folder);
  }

  static async make(): Promise<Certificates> {
    const certificates = new Certificates(mkdtempSync(join(tmpdir(), 'certificates-')));
    try {
      await certificates.issue();
    } catch (error) {
      certificates.remove();
      throw error;
    }
    return certificates;
  }

  files(identity: Identity): CertificateFiles {
    return {
      authority: join(this.folder, 'authority', 'authority.crt'),
      certificate: join(this.folder, `${identity}.crt`),
      key: join(this.folder, `${identity}.key`),
    };
  }

  /** Credentials of a client that shows this identity and trusts the authority of the valid certificates. */
  credentials(identity: Identity = 'client'): Credentials {
    const { authority, certificate, key } = this.files(identity);
    const [ca = '', cert = '', privateKey = ''] = [authority, certificate, key].map((file) =>
      readFileSync(file, 'utf8'),
    );
    return { ca, cert, key: privateKey };
  }

  /** Certificate of an authority that issued none of the valid ones, for a client that trusts the wrong authority. */
  get anotherAuthority(): string {
    return readFileSync(join(this.folder, 'another-authority', 'authority.crt'), 'utf8');
  }

  remove(): void {
    this.reaper.callOff();
    rmSync(this.folder, { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    this.remove();
  }

  private async issue(): Promise<void> {
    writeFileSync(join(this.folder, 'settings'), SETTINGS);
    const authorities = [...new Set(Object.values(ISSUES).map(({ by }) => by))];
    await Promise.all(authorities.map((authority) => this.makeAuthority(authority)));
    // One after the other, because an authority writes each into the same list.
    for (const [identity, issue] of Object.entries(ISSUES)) await this.makeCertificate(identity, issue);
  }

  private async makeAuthority(name: string): Promise<void> {
    const folder = join(this.folder, name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'issued'), '');
    writeFileSync(join(folder, 'serial'), '01\n');
    await this.openssl(name, 'req', '-x509', ...newKey('authority', name), '-out', 'authority.crt', '-days', '3');
  }

  private async makeCertificate(identity: string, { by, names, from, to }: Issue): Promise<void> {
    const here = join('..', identity);
    await this.openssl(by, 'req', ...newKey(here, identity), '-out', `${here}.request`);
    await this.openssl(
      by,
      ...['ca', '-batch', '-notext', '-cert', 'authority.crt', '-keyfile', 'authority.key', '-extensions', names],
      ...['-startdate', daysFromNow(from), '-enddate', daysFromNow(to)],
      ...['-in', `${here}.request`, '-out', `${here}.crt`],
    );
  }

  private async openssl(folder: string, command: string, ...args: readonly string[]): Promise<void> {
    await execute(opensslBinary(), [command, '-config', join(this.folder, 'settings'), ...args], {
      cwd: join(this.folder, folder),
    });
  }
}

const newKey = (file: string, name: string): string[] => [
  ...['-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${file}.key`],
  ...['-subj', `/CN=${name}`],
];

/** An instant as YYYYMMDDHHMMSSZ. */
const daysFromNow = (days: number): string =>
  new Date(Date.now() + days * DAY_MS).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
