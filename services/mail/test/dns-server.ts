import { createSocket, type Socket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/** A name server on loopback that knows TXT records only. */
export interface TestDnsServer extends AsyncDisposable {
  /** Address with port, as `MAIL_DNS_SERVERS` has it. */
  address: string
  /** Names that were asked for. */
  asked: string[]
  /** Sets the records of a name; each has one or more texts. */
  publish(name: string, ...records: string[][]): void
  /** With false it does not answer. */
  answer(isAnswering: boolean): void
  /** Never answers questions about names under this domain. */
  ignore(domain: string): void
}

export async function startDnsServer(): Promise<TestDnsServer> {
  const records = new Map<string, string[][]>()
  const asked: string[] = []
  const ignored = new Set<string>()
  let isAnswering = true
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const name = readName(query)
    asked.push(name)
    const isIgnored = [...ignored].some((domain) => name.endsWith(`.${domain}`))
    if (isAnswering && !isIgnored) socket.send(buildReply(query, records.get(name) ?? []), port, address)
  })
  await bind(socket)
  return {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    asked,
    publish: (name, ...texts) => void records.set(name, texts),
    answer: (next) => void (isAnswering = next),
    ignore: (domain) => void ignored.add(domain),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  }
}

const bind = (socket: Socket) => new Promise<void>((resolve, reject) => socket.once('error', reject).bind(0, '127.0.0.1', resolve))

const headerBytes = 12

function readName(query: Buffer): string {
  const labels: string[] = []
  for (let at = headerBytes; query[at]; at += (query[at] as number) + 1) {
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] as number)))
  }
  return labels.join('.').toLowerCase()
}

/** A reply with the question and its TXT records; without any, the name does not exist. */
function buildReply(query: Buffer, records: readonly string[][]): Buffer {
  let end = headerBytes
  while (query[end]) end += (query[end] as number) + 1
  const question = query.subarray(headerBytes, end + 5)
  const header = Buffer.from(query.subarray(0, headerBytes))
  header.writeUInt16BE(records.length > 0 ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  const answers = records.map((texts) => {
    const data = Buffer.concat(texts.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])))
    // The name of the question, TXT, IN, no caching.
    const head = Buffer.from([0xc0, headerBytes, 0, 16, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 0xff])
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, question, ...answers])
}
