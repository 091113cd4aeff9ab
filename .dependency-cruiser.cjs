/** Which file may import which; CONTRIBUTING.md says why. */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { pathNot: '^services/orders/src/products/' } } },
    {
      name: 'contracts-know-nobody',
      severity: 'error',
      from: { path: '^packages/contracts/src', pathNot: '[.]test[.]ts$' },
      to: { pathNot: ['^packages/contracts/src', 'node_modules/zod'] },
    },
    {
      name: 'runtime-knows-contracts-only',
      severity: 'error',
      from: { path: '^packages/runtime' },
      to: { path: '^(services|packages/testing|tools|e2e|bench)/' },
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
      from: { path: '^(packages/(contracts|runtime)|services/[^/]+)/src', pathNot: '[.]test[.]ts$' },
      to: { path: '^(packages/testing|tools|e2e)/' },
    },
    {
      name: 'testing-and-tools-know-no-service',
      severity: 'error',
      from: {
        path: '^(packages/testing|tools)/',
        pathNot: '^tools/(src/(generate|test|service-settings|commands/(migrate|openapi|doctor))|test/completeness[.]test)[.]ts$',
      },
      to: { path: '^services/' },
    },
    {
      name: 'nats-has-one-address',
      severity: 'error',
      from: { pathNot: '^(packages/runtime|bench)/' },
      to: { path: 'node_modules/nats/' },
    },
    { name: 'pino-has-one-address', severity: 'error', from: { pathNot: '^packages/runtime/' }, to: { path: 'node_modules/pino/' } },
    {
      name: 'fastify-has-two-addresses',
      severity: 'error',
      from: { pathNot: '^(services/(gateway|auth)|bench)/' },
      to: { path: 'node_modules/fastify/' },
    },
    {
      name: 'puppeteer-has-two-addresses',
      severity: 'error',
      from: { pathNot: '^(services/invoices/(src/rendering|test)/|e2e/oauth/chromium[.]ts$)' },
      to: { path: 'node_modules/puppeteer' },
    },
    {
      name: 'a-handler-imports-no-handler',
      severity: 'error',
      from: { path: '^services/[^/]+/src/[^/]+/(get|list|create|update|delete|confirm|generate|revoke|verify|add)-' },
      to: { path: '^services/[^/]+/src/[^/]+/(get|list|create|update|delete|confirm|generate|revoke|verify|add)-[^/]+[.]ts$' },
    },
    {
      name: 'no-leftover-rooms',
      severity: 'error',
      from: {},
      to: { path: '/(utils|util|helpers|helper|common|misc|shared|index)[./]', pathNot: 'node_modules' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^(packages|services)/[^/]+/src', pathNot: '(main|[.]test)[.]ts$' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.](service|e2e|containers)[.]test[.]ts$' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
}
