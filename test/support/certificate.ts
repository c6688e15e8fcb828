import { generateKeyPairSync, sign } from 'node:crypto';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface CertificateOptions {
  readonly name?: string;
  /** A host name, in addition to 127.0.0.1. */
  readonly host?: string;
  readonly from?: Date;
  readonly until: Date;
}

/** Makes a self-signed certificate for this machine. Encodes X.509 itself, because openssl may be missing. */
export function selfSigned({ name = 'Acme Ltd', host, from = new Date(0), until }: CertificateOptions): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    ecdsaWithSha256,
    commonName(name),
    sequence(time(from), time(until)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(subjects(host))),
  );
  const signature = sign('sha256', body, privateKey);
  const cert = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.from([0]), signature));
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: pem(cert) };
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

function identifier(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(identifier('550403'), tagged(0x0c, Buffer.from(name)))));
}

function time(date: Date): Buffer {
  const text = date.toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '');
  return tagged(0x18, Buffer.from(text));
}

const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));

/** subjectAltName: the host name and 127.0.0.1. */
function subjects(host: string | undefined): Buffer {
  const named = host === undefined ? [] : [tagged(0x82, Buffer.from(host))];
  return sequence(identifier('551d11'), tagged(0x04, sequence(...named, tagged(0x87, Buffer.from([127, 0, 0, 1])))));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
