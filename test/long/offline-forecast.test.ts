import { expect, test } from 'vitest'
import { startEndpoint } from '../fixtures/endpoint.ts'
import { type Trial, runTrial, summarize } from '../fixtures/forecast-trial.ts'
import { openWatchedGateway } from '../fixtures/watched-gateway.ts'

const policies = Number(process.env['FORECAST_POLICIES'] ?? 500)
const firstSeed = Number(process.env['FORECAST_SEED'] ?? 21)

test('on seeded policies of the sandbox, nine of ten webhooks go offline when the forecast says', async () => {
  await using endpoint = await startEndpoint()
  await using watched = await openWatchedGateway()
  const trials: Trial[] = []
  for (let seed = firstSeed; seed < firstSeed + policies; seed += 1) {
    trials.push(await runTrial(seed, watched, endpoint))
  }
  const summary = summarize(trials)
  const figures = JSON.stringify(summary)
  expect(summary.inside, figures).toBeGreaterThanOrEqual(0.9)
  expect(summary.medianWidth, figures).toBeLessThanOrEqual(0.25)
  expect(summary.withoutForecast, figures).toBeLessThanOrEqual(0.1)
})
