import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector receives it (OTLP 1.x, JSON). */
export interface CollectedSpan {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
  isFailed: boolean
}

interface Sent {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: { spans: { traceId: string; spanId: string; parentSpanId?: string; name: string; status?: { code?: number } }[] }[]
  }[]
}

/** A collector of traces: OTLP over HTTP. */
export interface TraceCollector {
  url: string
  spans: readonly CollectedSpan[]
  close(): void
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/json'
      if (isTraces) spans.push(...read(JSON.parse(Buffer.concat(chunks).toString()) as Sent))
      response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function read({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ traceId, spanId, parentSpanId = '', name, status }) => {
        return { service, name, traceId, spanId, parentSpanId, isFailed: status?.code === 2 }
      }),
    )
  })
}
