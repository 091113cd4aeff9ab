import { Transform, type Readable } from 'node:stream'

/** How far the conversation about one message has got. */
export interface SendingProgress {
  /** Aborted when the server delays the message too long. Never once it has the whole message. */
  stalled: AbortSignal
  /** Whether the whole message has left, so that the server may have accepted it. */
  isComplete(): boolean
  /** Returns the stream that the client sends instead of this one. */
  observe(source: Readable): Readable
  /** Ends the observation. */
  end(): void
}

/**
 * Observes the sending of one message. The client has one limit for every reply, and the reply to the whole message may take far longer than
 * others: before it, the commands together have `limitMs`, and so has each part of the message.
 */
export function watchProgress(limitMs: number, onComplete: () => void): SendingProgress {
  const stall = new AbortController()
  const timer = setTimeout(() => {
    stall.abort(Object.assign(new Error('The SMTP server did not take the message in time'), { code: 'ETIMEDOUT' }))
  }, limitMs)
  let isComplete = false
  return {
    stalled: stall.signal,
    isComplete: () => isComplete,
    observe(source) {
      timer.refresh()
      const observed = new Transform({
        transform(chunk, _encoding, done) {
          timer.refresh()
          done(null, chunk)
        },
      })
      observed.once('end', () => {
        isComplete = true
        clearTimeout(timer)
        onComplete()
      })
      source.once('error', (error) => observed.destroy(error))
      return source.pipe(observed)
    },
    end: () => clearTimeout(timer),
  }
}
