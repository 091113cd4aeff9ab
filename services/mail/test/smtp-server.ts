import type { AddressInfo, Socket } from 'node:net'
import { createServer, type Server } from 'node:net'
import { eventually } from '@quittance/testing/eventually'
import { SMTPServer } from 'smtp-server'

/** What the server does with the next messages. `from` limits a rejection of data to this address in From. `drop`: it closes the connection after the whole message, without a reply. `slow`: it replies to a whole message late. `stall`: it never answers the recipient. */
export type Behavior =
  | { kind: 'accept' }
  | { kind: 'reject'; code: number; at: 'sender' | 'recipient' | 'data'; text?: string; from?: string }
  | { kind: 'hang' }
  | { kind: 'drop' }
  | { kind: 'slow'; byMs: number }
  | { kind: 'stall' }

/** A message that the server has accepted. */
export interface ReceivedMessage {
  from: string
  to: string[]
  source: string
}

/** A real SMTP server on loopback. */
export interface TestSmtpServer extends AsyncDisposable {
  url: string
  /** Accepted messages, in order. */
  received: ReceivedMessage[]
  /** Message-IDs of all complete messages, also of those that were not answered. */
  seenIds: string[]
  behave(behavior: Behavior): void
  /** Closes the port and every connection at once, like a killed process. */
  kill(): Promise<void>
  /** Opens the same port again. */
  restart(): Promise<void>
  /** Waits for this number of accepted messages. */
  messages(count: number): Promise<ReceivedMessage[]>
}

interface State {
  behavior: Behavior
  received: ReceivedMessage[]
  seenIds: string[]
  sockets: Set<Socket>
}

export async function startSmtpServer(): Promise<TestSmtpServer> {
  const state: State = { behavior: { kind: 'accept' }, received: [], seenIds: [], sockets: new Set() }
  const { received, seenIds, sockets } = state
  const smtp = createProtocol(state)
  const accept = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    smtp.server.emit('connection', socket)
  }
  let listener: Server = await listen(0, accept)
  const { port } = listener.address() as AddressInfo
  async function kill(): Promise<void> {
    const closed = new Promise((resolve) => listener.close(resolve))
    closeSockets(state)
    await closed
  }
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    seenIds,
    behave: (next) => void (state.behavior = next),
    kill,
    async restart() {
      listener = await listen(port, accept)
    },
    messages: (count) =>
      eventually(() => {
        if (received.length !== count) throw new Error(`${received.length} of ${count} messages`)
        return received
      }),
    [Symbol.asyncDispose]: kill,
  }
}

const closeSockets = ({ sockets }: State) => sockets.forEach((socket) => socket.resetAndDestroy())

function createProtocol(state: State): SMTPServer {
  const rejectionAt = (place: 'sender' | 'recipient' | 'data', source = '') => {
    const { behavior } = state
    if (behavior.kind !== 'reject' || behavior.at !== place) return null
    if (behavior.from && !/^from: .*$/im.exec(source)?.[0].includes(behavior.from)) return null
    return Object.assign(new Error(behavior.text ?? 'Not this one'), { responseCode: behavior.code })
  }
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onMailFrom: (_address, _session, done) => done(rejectionAt('sender')),
    onRcptTo: (_address, _session, done) => void (state.behavior.kind === 'stall' || done(rejectionAt('recipient'))),
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const source = Buffer.concat(chunks).toString('utf8')
        state.seenIds.push(/^message-id: (.*)$/im.exec(source)?.[1]?.trim() ?? '')
        if (state.behavior.kind === 'hang') return
        if (state.behavior.kind === 'drop') return closeSockets(state)
        const rejection = rejectionAt('data', source)
        if (!rejection) state.received.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), source })
        if (state.behavior.kind === 'slow') setTimeout(() => done(rejection), state.behavior.byMs)
        else done(rejection)
      })
    },
  })
  smtp.on('error', () => {})
  return smtp
}

async function listen(port: number, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return server
}
