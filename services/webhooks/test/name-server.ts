import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server over UDP on loopback with configurable names. */
export interface NameServer extends AsyncDisposable {
  address: string
  /** Sets the IPv4 addresses of a name from now on. */
  setAddresses(name: string, addresses: readonly string[]): void
  /** Leaves queries for IPv6 addresses of a name without an answer from now on. */
  dropIpv6Queries(name: string): void
}

const headerBytes = 12
const ipv4Type = 1
const ipv6Type = 28

export async function startNameServer(): Promise<NameServer> {
  const known = new Map<string, readonly string[]>()
  const socket = createSocket('udp4')
  const withoutIpv6 = new Set<string>()
  socket.on('message', (query, from) => {
    const question = readQuestion(query)
    if (question.type !== ipv6Type || !withoutIpv6.has(question.name)) socket.send(answer(query, question, known), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    setAddresses: (name, addresses) => void known.set(name, addresses),
    dropIpv6Queries: (name) => void withoutIpv6.add(name),
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

interface Question {
  name: string
  type: number
  /** Position of the first byte after the name. */
  end: number
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = []
  let end = headerBytes
  for (let length = query[end] ?? 0; length > 0; length = query[end] ?? 0) {
    labels.push(query.toString('latin1', end + 1, end + 1 + length))
    end += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(end + 1), end }
}

/** Builds the response (RFC 1035): the question, and an A record per address; NXDOMAIN for an unknown name. */
function answer(query: Buffer, { name, type, end }: Question, known: ReadonlyMap<string, readonly string[]>): Buffer {
  const addresses = known.get(name)
  const records = type === ipv4Type ? (addresses ?? []) : []
  const header = Buffer.alloc(headerBytes)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  // A pointer to the name in the question, type A, class IN, TTL 0, four bytes.
  const record = (address: string) => Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)])
  return Buffer.concat([header, query.subarray(headerBytes, end + 5), ...records.map(record)])
}
