/** The OpenAPI document of the control API names its routes and no others. */
import { expect, test } from 'vitest'
import { createControl } from '../../../src-main/sandbox/control/create-control.ts'
import { createOpenApi } from '../../../src-main/sandbox/control/openapi.ts'

test('every route of the control API is in the OpenAPI document, and every documented one is served', () => {
  const { paths } = createOpenApi()
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  // Handlers use what they need at a request only.
  const deps = { networks: { mainnet: {}, testnet: {} } }
  const { routes } = createControl(deps as unknown as Parameters<typeof createControl>[0])
  const served = routes.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    .map((route) => route.replace('/webhooks/{id}', '/webhooks/{webhookId}'))
  expect(served.sort()).toEqual(documented.sort())
})

test('the document has unique operation ids, and every field of a path is a parameter', () => {
  const operations = Object.entries(createOpenApi().paths).flatMap(([path, item]) =>
    Object.values(item).map((each) => ({
      path,
      ...(each as { operationId: string; parameters: { name: string; in: string }[] }),
    })),
  )
  const ids = operations.map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, parameters } of operations) {
    const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
    expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(inPath)
  }
})
