/** Process: handles the same requests as the service of p1, with Nest's microservice and MikroORM's unit of work. */
import { Controller, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { MessagePattern, Payload, RpcException, Transport, type MicroserviceOptions } from '@nestjs/microservices'
import { MikroORM } from '@mikro-orm/postgresql'
import { connect } from 'nats'
import { Pool } from 'pg'
import { relay, type CreateCustomer } from '../p1/create-customer.ts'
import { reportReady, setting } from '../p1/process.ts'
import { createCustomer } from './create-customer.ts'
import { decorate } from './decorate.ts'
import { CustomerEntity, IdempotentReplyEntity, OrderEntity, OrderItemEntity, OutboxEntity, ProductEntity } from './entities.ts'

const name = setting('NAME')
const nats = { servers: setting('NATS_SERVER'), user: 'w0', pass: 'w0', name }
const clientUrl = setting('DATABASE_URL')

const orm = await MikroORM.init({
  clientUrl,
  entities: [CustomerEntity, IdempotentReplyEntity, OrderEntity, OrderItemEntity, OutboxEntity, ProductEntity],
  pool: { min: 0, max: 10 },
  forceUtcTimezone: true,
})

interface OrganizationRequest {
  organization_id: string
}

const populate = ['customer', 'product', 'items'] as const

/** Each message has its own context, like an HTTP request. */
class OrdersController {
  async get({ id, organization_id }: OrganizationRequest & { id: string }) {
    const order = await orm.em.fork().findOne(OrderEntity, { id, organization_id }, { populate })
    if (!order) throw new RpcException({ status: 404, error: 'NotFound' })
    return order
  }

  /** Lists the newest orders first, without a total: see p1. */
  async list({ organization_id, limit, page }: OrganizationRequest & { limit: number; page: number }) {
    const orderBy = { created_at: 'desc', id: 'desc' } as const
    const items = await orm.em.fork().find(OrderEntity, { organization_id }, { populate, orderBy, limit, offset: (page - 1) * limit })
    return { items }
  }

  create(request: CreateCustomer) {
    return createCustomer(orm.em.fork(), request)
  }
}

const asked = [Payload()]
decorate(OrdersController, {
  type: [Controller()],
  methods: {
    get: { method: [MessagePattern(`${name}.order.get`)], parameters: asked },
    list: { method: [MessagePattern(`${name}.order.list`)], parameters: asked },
    create: { method: [MessagePattern(`${name}.customer.create`)], parameters: asked },
  },
})

// oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest is an empty class
class ServiceModule {}
decorate(ServiceModule, { type: [Module({ controllers: [OrdersController] })] })

const app = await NestFactory.createMicroservice<MicroserviceOptions>(ServiceModule, {
  transport: Transport.NATS,
  options: { ...nats, queue: name },
  logger: ['error'],
})

// The relay of p1 publishes committed events: it needs one statement for a hundred events.
const connection = await connect({ ...nats, noAsyncTraces: true })
const prefix = `${name}-event`
const manager = await connection.jetstreamManager()
await manager.streams.add({ name: `peer-${name}`, subjects: [`${prefix}.>`] })
const pool = new Pool({ connectionString: clientUrl, max: 1 })
// A connection that breaks while idle is replaced when the next one is needed.
pool.on('error', () => {})
relay(pool, { jetstream: connection.jetstream(), prefix })

await app.listen()
reportReady()
