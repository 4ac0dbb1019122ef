import type { NetworkCheck } from '../../../src-preload/contract/network.ts'
import type { WebhookUsage } from '../../../src-preload/contract/webhook.ts'
import { useData } from '../../app/bridge.ts'
import { ConnectionChecks } from '../../components/connection-checks.tsx'
import { KeychainState } from '../../components/keychain-state.tsx'
import { NetworkSecret } from '../../components/network-secret.tsx'
import { Button } from '../../ui/button.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { Section, Stack } from '../../ui/layout.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { FailedState, Skeleton } from '../../ui/loaded.tsx'
import { isLocalGateway } from './setup-state.ts'
import type { StepProps } from './use-setup.ts'

export function KeyStep({ network, setup }: StepProps) {
  const { checks, isRunning, error, again } = setup.test
  const isDone = setup.steps.key.state === 'done'
  return (
    <>
      <Section title="API key">
        <Stack gap="l">
          <KeychainState what="Keys" />
          <NetworkSecret network={network} slot="api" isOpenWhileAbsent />
        </Stack>
      </Section>
      <Section
        title="Connection test"
        actions={
          <Button icon="refresh" busy={isRunning} onClick={again}>
            {isRunning ? 'Testing…' : 'Test again'}
          </Button>
        }
      >
        {checks !== undefined ? (
          <ConnectionChecks label={`Connection test of ${network.name}`} checks={checks} />
        ) : error === null ? (
          <Skeleton rows={3} label={`Testing the connection to ${network.name}`} />
        ) : (
          <FailedState what="The connection was not tested" why={error} onRetry={again} />
        )}
      </Section>
      {isDone && checks !== undefined && <Plan network={network} setup={setup} checks={checks} />}
    </>
  )
}

/** The limits of this key, as far as the gateway's responses state them. */
function Plan({ network, checks }: StepProps & { checks: readonly NetworkCheck[] }) {
  const usage = useData('webhook.usage', { network: network.id })
  const invoices = checks.find(({ root }) => root === 'invoices')
  const stated = checks.find(({ perSecond }) => perSecond !== null)?.perSecond ?? null
  return (
    <Section title="Plan and limits">
      <KeyValues
        pairs={[
          ['Request limit', describeLimit(stated, network)],
          ['Webhooks', 'Allowed with this key.'],
          ['Invoices', invoices === undefined ? null : describeInvoices(invoices)],
          [
            'Usage',
            usage.data === undefined
              ? (usage.error?.message ?? 'Loading…')
              : describeUsage(usage.data),
          ],
        ]}
      />
    </Section>
  )
}

function describeLimit(stated: number | null, network: StepProps['network']): string {
  if (stated !== null) {
    const rate = formatCount(Math.round(stated * 100) / 100, 'request')
    return `${rate} per second, as the gateway states.`
  }
  return isLocalGateway(network)
    ? 'The gateway states none.'
    : 'The gateway states none. Tondesk starts with 1 request per second, the smallest plan, and adapts to the responses.'
}

function describeInvoices({ outcome, message }: NetworkCheck): string {
  if (outcome === 'no-key')
    return 'The invoices API needs its own token: see the step Invoice access.'
  return outcome === 'ok' ? 'Allowed with the stored token.' : message
}

function describeUsage({ accounts, delivered, failed }: WebhookUsage): string {
  const parts = [
    formatCount(accounts, 'subscribed account'),
    `${formatNumber(delivered)} delivered`,
    `${formatNumber(failed)} failed`,
  ]
  return `${parts.join(', ')} in the current period, over all webhooks of this key.`
}
