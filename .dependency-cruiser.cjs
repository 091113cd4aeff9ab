const { readdirSync } = require('node:fs')
const { join } = require('node:path')
const { Visitor } = require('@swc/core/Visitor.js')
const layersBySource = require('./.dependency-layers.cjs')

/** The visitor with which dependency-cruiser finds imports throws on `using` declarations, which it does not know. */
const { visitStatement } = Visitor.prototype
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement)
  this.visitVariableDeclarators(statement.decls)
  return statement
}

/** Migrations are read by the database alone. */
const withoutLayer = new Set(['migrations'])

/** Throws if a folder of a source tree is on no layer: no rule would limit its imports. */
function assertEveryFolderHasLayer(source, names) {
  const known = new RegExp(`^(${names.map((name) => name.replace(/\/.*/, '')).join('|')})$`)
  const folders = readdirSync(join(__dirname, source, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const missing = folders.map(({ name }) => name).filter((name) => !known.test(name) && !withoutLayer.has(name))
  if (missing.length > 0) throw new Error(`.dependency-layers.cjs has no layer for these folders of ${source}/src: ${missing.join(', ')}`)
}

/** Returns the rules of a source tree with these layers, lowest first. */
function layers(source, names) {
  assertEveryFolderHasLayer(source, names)
  return names.slice(0, -1).map((name, i) => ({
    name: `${source}/${name} imports lower layers only`,
    severity: 'error',
    from: { path: `^${source}/src/${name}/`, pathNot: '[.]test[.]ts$' },
    to: { path: `^${source}/src/(${names.slice(i + 1).join('|')})/` },
  }))
}

/** Allowed imports between files; CONTRIBUTING.md gives the reasons. */
module.exports = {
  forbidden: [
    ...Object.entries(layersBySource).flatMap(([source, names]) => layers(source, names)),
    {
      name: 'internals-of-runtime-are-for-tests-and-operator-commands',
      severity: 'error',
      from: { path: '^services/[^/]+/src' },
      to: {
        path: '^packages/runtime/src/(bus/(event|request)-signature|messaging/(dead-letters|durable-consumer|event-reader|event-stream)|jobs/notification-listener)[.]ts$',
      },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'pricing-is-pure',
      severity: 'error',
      from: { path: '/src/pricing/', pathNot: '[.]test[.]ts$' },
      to: { pathNot: ['/src/pricing/', '^packages/contracts/', 'node_modules/(zod|stdnum)/'] },
    },
    {
      name: 'reactions-are-composed-once',
      severity: 'error',
      from: { pathNot: '^services/[^/]+/src/service[.]ts$' },
      to: { path: '^services/[^/]+/src/reactions[.]ts$' },
    },
    {
      name: 'contracts-import-zod-only',
      severity: 'error',
      from: { path: '^packages/contracts/src', pathNot: '[.]test[.]ts$' },
      to: { pathNot: ['^packages/contracts/src', 'node_modules/zod'] },
    },
    {
      name: 'sql-knows-contracts-only',
      severity: 'error',
      from: { path: '^packages/sql/src', pathNot: '[.]test[.]ts$' },
      to: { path: '^(?!packages/(sql|contracts)/)', dependencyTypesNot: ['core'] },
    },
    {
      name: 'runtime-knows-contracts-and-sql-only',
      severity: 'error',
      from: { path: '^packages/runtime' },
      to: { path: '^(services|packages/testing|tools|e2e|bench)/' },
    },
    {
      name: 'runtime-loads-no-contracts-of-other-services',
      severity: 'error',
      from: { path: '^packages/runtime/src', pathNot: '[.]test[.]ts$' },
      to: { path: '^packages/contracts/src/(registry|permissions)[.]ts$', reachable: true },
    },
    {
      name: 'services-without-a-database-load-no-orm',
      severity: 'error',
      from: { path: '^packages/runtime/src', pathNot: ['^packages/runtime/src/database/(database|schema)[.]ts$', '[.]test[.]ts$'] },
      to: { path: 'node_modules/@mikro-orm/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'the-database-is-loaded-when-a-service-has-one',
      severity: 'error',
      from: { path: '^packages/runtime/src' },
      to: { path: '^packages/runtime/src/database/(database|schema)[.]ts$', dependencyTypesNot: ['type-only'], dynamic: false },
    },
    {
      name: 'page-services-reach-neither-bus-nor-database',
      severity: 'error',
      from: { path: '^services/storefront/src' },
      to: {
        path: '(node_modules/(nats|pg|@mikro-orm)/|^packages/runtime/src/(nats|rpc|bus|database|handlers|messaging|jobs)/)',
        reachable: true,
      },
    },
    {
      name: 'pages-know-contracts-only',
      severity: 'error',
      from: { path: '^packages/pages' },
      to: { path: '^(services|packages/(runtime|testing)|tools|e2e|bench)/' },
    },
    {
      name: 'no-service-imports-another',
      severity: 'error',
      from: { path: '^services/([^/]+)/' },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'testing-stays-in-tests',
      severity: 'error',
      from: { path: '^(packages/(contracts|pages|runtime|sql)|services/[^/]+)/src', pathNot: '[.]test[.]ts$' },
      to: { path: '^(packages/testing|tools|e2e)/' },
    },
    {
      name: 'testing-and-tools-know-no-service',
      severity: 'error',
      from: {
        path: '^(packages/testing|tools)/',
        pathNot:
          '^tools/(src/(generate|test|service-settings|commands/(migrate|openapi|doctor|invoices-verify))|test/completeness[.]test)[.]ts$',
      },
      to: { path: '^services/' },
    },
    {
      name: 'only-adapters-import-adapters',
      severity: 'error',
      from: {
        path: '^services/orders/src/',
        pathNot: '^services/orders/src/providers/((provider-of|account-adapters)[.]ts$|sandbox/|stripe/|bank-transfer/)',
      },
      to: { path: '^services/orders/src/providers/(sandbox|stripe|bank-transfer)/' },
    },
    {
      name: 'decisions-about-payments-are-pure',
      severity: 'error',
      from: { path: '^services/orders/src/payments/(fold|next-call)[.]ts$' },
      to: { dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-runtime-imports-nats',
      severity: 'error',
      from: { pathNot: '^(packages/runtime|bench)/' },
      to: { path: 'node_modules/nats/' },
    },
    { name: 'only-runtime-imports-pino', severity: 'error', from: { pathNot: '^packages/runtime/' }, to: { path: 'node_modules/pino/' } },
    {
      name: 'three-services-import-fastify',
      severity: 'error',
      from: { pathNot: '^(services/(gateway|auth|storefront)|bench)/' },
      to: { path: 'node_modules/fastify/' },
    },
    {
      name: 'three-places-import-puppeteer',
      severity: 'error',
      from: { pathNot: '^(services/invoices/(src/rendering|test)/|e2e/browser/chromium[.]ts$|bench/src/scenarios/render[.]ts$)' },
      to: { path: 'node_modules/puppeteer' },
    },
    {
      name: 'two-places-import-stripe',
      severity: 'error',
      from: { pathNot: '^(services/orders/src/providers/stripe/|packages/testing/src/stripe/)' },
      to: { path: 'node_modules/stripe/' },
    },
    {
      name: 'no-catch-all-files',
      severity: 'error',
      from: {},
      to: { path: '/(utils|util|helpers|helper|common|misc|shared|index)[./]', pathNot: 'node_modules' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^(packages|services)/[^/]+/src', pathNot: '(main|[.]test|/src/browser/[^/]+)[.]ts$' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
