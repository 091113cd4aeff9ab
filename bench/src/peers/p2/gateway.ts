/** Process: the gateway of the peer, built as Nest's documentation teaches: guard, pipes, `ClientProxy.send`. */
import type { AddressInfo } from 'node:net'
import {
  BadRequestException,
  Body,
  Controller,
  ForbiddenException,
  Get,
  Headers,
  HttpException,
  Inject,
  Module,
  Param,
  Post,
  Query,
  Req,
  StandardSchemaValidationPipe,
  UnauthorizedException,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { ClientsModule, Transport, type ClientProxy } from '@nestjs/microservices'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { catchError, timeout, type Observable } from 'rxjs'
import { z } from 'zod'
import { reportReady, setting } from '../p1/process.ts'
import { limitRate } from '../p1/rate-limit.ts'
import { jwtVerifier } from '../p1/verify-token.ts'
import { decorate } from './decorate.ts'

const name = setting('NAME')
const verify = await jwtVerifier(JSON.parse(setting('PUBLIC_KEY')))

interface Authenticated {
  headers: { authorization?: string }
  organizationId: string
}

class TokenGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Authenticated>()
    const claims = await verify(request.headers.authorization).catch(() => null)
    if (!claims) throw new UnauthorizedException()
    if (!claims.scopes.has('orders:read')) throw new ForbiddenException()
    request.organizationId = claims.organizationId
    return true
  }
}

const service = 'SERVICE'
const orderId = z.uuid()
const page = z.object({ page: z.coerce.number().int().min(1).default(1), limit: z.coerce.number().int().min(1).max(100).default(10) })
const customer = z.object({ email: z.email(), name: z.string().max(256).optional() })

class OrdersController {
  readonly #client: ClientProxy

  constructor(client: ClientProxy) {
    this.#client = client
  }

  get(id: string, request: Authenticated) {
    return this.#ask('order.get', { id, organization_id: request.organizationId })
  }

  list(query: z.infer<typeof page>, request: Authenticated) {
    return this.#ask('order.list', { ...query, organization_id: request.organizationId })
  }

  create(body: z.infer<typeof customer>, key: string | undefined, request: Authenticated) {
    if (!key || key.length > 255) throw new BadRequestException('Idempotency-Key is missing or too long.')
    return this.#ask('customer.create', { key, body, organization_id: request.organizationId })
  }

  #ask(subject: string, data: object): Observable<unknown> {
    return this.#client.send<unknown>(`${name}.${subject}`, data).pipe(
      timeout(5_000),
      catchError((error: { status?: number }) => {
        throw new HttpException(error, typeof error.status === 'number' ? error.status : 500)
      }),
    )
  }
}

decorate(OrdersController, {
  type: [Controller('v1'), UseGuards(TokenGuard)],
  constructed: [Inject(service)],
  methods: {
    get: { method: [Get('orders/:id')], parameters: [Param('id', { schema: orderId }), Req()] },
    list: { method: [Get('orders/')], parameters: [Query({ schema: page }), Req()] },
    create: {
      method: [Post('customers/')],
      parameters: [Body({ schema: customer }), Headers('idempotency-key'), Req()],
    },
  },
})

// oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest is an empty class
class GatewayModule {}
const options = { servers: [setting('NATS_SERVER')], user: 'w0', pass: 'w0', name }
decorate(GatewayModule, {
  type: [
    Module({ imports: [ClientsModule.register([{ name: service, transport: Transport.NATS, options }])], controllers: [OrdersController] }),
  ],
})

const adapter = new FastifyAdapter({ logger: false, routerOptions: { ignoreTrailingSlash: true } })
adapter.getInstance().addHook('onRequest', limitRate(100))
const app = await NestFactory.create<NestFastifyApplication>(GatewayModule, adapter, { logger: ['error'] })
app.useGlobalPipes(new StandardSchemaValidationPipe())
await app.listen(0, '127.0.0.1')
reportReady((app.getHttpServer().address() as AddressInfo).port)
