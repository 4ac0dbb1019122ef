/** Forecasts on the sandbox's delivery queue: the long test of the same name takes 500 policies. */
import { expect, test } from 'vitest'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { type Trial, runTrial, summarize } from '../fixtures/forecast-trial.ts'
import { openWatchedGateway } from '../fixtures/watched-gateway.ts'

const seeds = [21, 22, 27]

test('a webhook goes offline when the forecast says, on some policies', async () => {
  await using endpoint = await startEndpoint()
  await using watched = await openWatchedGateway()
  const trials: Trial[] = []
  for (const seed of seeds) trials.push(await runTrial(seed, watched, endpoint))
  expect(summarize(trials)).toMatchObject({ inside: 1, withoutForecast: 0 })
  expect(summarize(trials).medianWidth).toBeLessThan(0.25)

  // No outage was observed of this one: a number would be invented.
  const { forecast } = await runTrial(23, watched, endpoint, { earlier: 0 })
  expect(forecast).toMatchObject({ offline: null })
  expect(forecast?.reason).toContain('has not yet seen')
})
