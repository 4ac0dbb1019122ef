/** The setup of a network, from its key to a first delivery. Each step is done on this page. */
import { type ComponentType, useEffect, useRef } from 'react'
import type { Network, NetworkCheck } from '../../../src-preload/contract/network.ts'
import { useData } from '../../app/bridge.ts'
import { navigate, routeHref, useRoute } from '../../app/route.ts'
import { type SetupStep, setupHome, setupSteps } from '../../app/setup-route.ts'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { TunnelSetup } from '../../components/delivery/tunnel-setup.tsx'
import { AccessPanel } from '../../components/invoices/access-list.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { type Tone, Hint, Note, Row, Section, Stack, Tag, Small, Text } from '../../ui/layout.tsx'
import { Loaded, Progress, FailedState, Skeleton } from '../../ui/loaded.tsx'
import { Guide } from '../../ui/steps.tsx'
import { AccountsStep } from './accounts-step.tsx'
import { CodeStep } from './code-step.tsx'
import { DeliveryStep } from './delivery-step.tsx'
import {
  type StepState,
  isLocalGateway,
  nextStep,
  offersInvoices,
  requiredSteps,
} from './setup-state.ts'
import { type StepProps, useSetup } from './use-setup.ts'
import { WebhookStep } from './webhook-step.tsx'
import { selectNetwork } from '../../app/networks.ts'
import { NetworkForm } from '../../components/network-form.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import type { WebhookUsage } from '../../../src-preload/contract/webhook.ts'
import { ConnectionChecks } from '../../components/connection-checks.tsx'
import { KeychainState } from '../../components/keychain-state.tsx'
import { NetworkSecret } from '../../components/network-secret.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { KeyValues } from '../../ui/values.tsx'

type StepView = {
  readonly title: string
  readonly detail: (network: Network) => string
  readonly Content: ComponentType<StepProps>
}

const views: Readonly<Record<SetupStep, StepView>> = {
  key: {
    title: 'Key',
    detail: ({ name }) =>
      `Tondesk sends requests to ${name} with an API key. Create a key with the webhooks capability in the gateway’s console, then enter the key here.`,
    Content: KeyStep,
  },
  tunnel: {
    title: 'Tunnel',
    detail: () =>
      'The gateway delivers from the internet, so the receiver on this computer needs a public URL. Start a tunnel and use its URL, or enter your own.',
    Content: TunnelStep,
  },
  webhook: {
    title: 'Webhook',
    detail: ({ name }) =>
      `A webhook tells ${name} where to deliver events. The gateway returns a token, which Tondesk stores in the keychain to verify each delivery.`,
    Content: WebhookStep,
  },
  accounts: {
    title: 'Accounts',
    detail: () =>
      'The webhook delivers the transactions of the accounts that it is subscribed to. Paste addresses, open a file, or take them from your address book.',
    Content: AccountsStep,
  },
  invoices: {
    title: 'Invoice access',
    detail: () =>
      'With access to invoices, the gateway tracks payments to your application. Skip this step if you do not issue invoices.',
    Content: InvoicesStep,
  },
  code: {
    title: 'Your backend',
    detail: () =>
      'A receiver for your own server: it verifies the token, handles each transaction once, and responds with 200. You can skip this step and do it later.',
    Content: CodeStep,
  },
  delivery: {
    title: 'First delivery',
    detail: () =>
      'The setup works when a delivery of the gateway arrives here with the right token.',
    Content: DeliveryStep,
  },
}

const toStart = () => navigate(setupHome)

export function SetupPage() {
  const route = useRoute((state) => state.route)
  if (route.page !== 'setup') return null
  return (
    <NetworkPage
      title="Set up a gateway"
      of={route.network}
      home={setupHome}
      stay={(name) => `Set up ${name}`}
      onSwitch={toStart}
      scroll
      beside={null}
      actions={() => null}
    >
      {(network) =>
        network.kind === 'sandbox' ? (
          <ChooseGateway />
        ) : (
          <NetworkSetup network={network} step={route.step} />
        )
      }
    </NetworkPage>
  )
}

function NetworkSetup({ network, step }: { network: Network; step: SetupStep | null }) {
  const setup = useSetup(network)
  const next = nextStep(setup.steps)
  const { id } = network
  // The first open step is opened once, and it stays open when it is done.
  useEffect(() => {
    if (step === null && next !== null) {
      navigate({ ...setupHome, network: id, step: next }, { replace: true })
    }
  }, [step, next, id])
  const hrefOf = (each: SetupStep) => routeHref({ ...setupHome, network: id, step: each })
  const shown = step ?? next ?? 'key'
  const done = requiredSteps.filter((each) => setup.steps[each].state === 'done').length
  const following = setupSteps[setupSteps.indexOf(shown) + 1]
  return (
    <Guide
      label="Steps of the setup"
      head={
        <Stack gap="xs">
          <NetworkTag id={id} />
          <Small>
            {done} of {requiredSteps.length} required steps done
          </Small>
          <Progress label="Required steps done" done={done} of={requiredSteps.length} />
        </Stack>
      }
      steps={setupSteps.map((each) => {
        const { state, note } = setup.steps[each]
        return {
          href: hrefOf(each),
          title: views[each].title,
          note,
          state: state === 'done' || state === 'failed' ? state : 'open',
          isCurrent: each === shown,
        }
      })}
    >
      <OpenStep key={shown} name={shown} network={network} setup={setup} />
      {following !== undefined && (
        <Row pad="l">
          <Button
            kind={isSettled(setup.steps[shown]) ? 'main' : 'plain'}
            onClick={() => navigate({ ...setupHome, network: id, step: following })}
          >
            Next: {views[following].title}
          </Button>
        </Row>
      )}
    </Guide>
  )
}

const isSettled = ({ state }: StepState) =>
  state === 'done' || state === 'optional' || state === 'absent'

const tags: Readonly<Record<StepState['state'], readonly [Tone, string]>> = {
  loading: ['plain', 'loading'],
  done: ['ok', 'done'],
  open: ['plain', 'to do'],
  failed: ['bad', 'failed'],
  optional: ['plain', 'optional'],
  absent: ['plain', 'not available'],
}

/** The last step whose heading had the focus, so that the first displayed step does not take the focus. */
let focused: SetupStep | null = null

function OpenStep({ name, network, setup }: StepProps & { name: SetupStep }) {
  const { title, detail, Content } = views[name]
  const [tone, word] = tags[setup.steps[name].state]
  const part = useRef<HTMLElement>(null)
  useEffect(() => {
    if (focused !== null && focused !== name) part.current?.focus()
    focused = name
  }, [name])
  return (
    <>
      <Section
        ref={part}
        tabIndex={-1}
        level={2}
        title={title}
        actions={<Tag tone={tone}>{word}</Tag>}
      >
        <Hint>{detail(network)}</Hint>
      </Section>
      <Content network={network} setup={setup} />
    </>
  )
}

function TunnelStep({ network }: StepProps) {
  return (
    <>
      {isLocalGateway(network) && (
        <Note>
          The gateway of {network.name} runs on this computer, so it reaches the receiver without a
          tunnel. You can still use one.
        </Note>
      )}
      <Loaded query={useData('tunnel.state')} of="the tunnels" rows={8}>
        {(state) => <TunnelSetup state={state} />}
      </Loaded>
    </>
  )
}

function InvoicesStep({ network }: StepProps) {
  if (offersInvoices(network)) return <AccessPanel network={network} />
  return (
    <Section title="Invoices are not available">
      <Hint>
        {network.name} has no URL for invoices. If its gateway offers them, add the URL to the
        network.
      </Hint>
    </Section>
  )
}

/** Lists the gateways that can be set up, if the chosen network is the sandbox, which needs no setup. */
function ChooseGateway() {
  const { isOpen, setOpen, button } = useOpener()
  return (
    <Section
      level={2}
      title="Choose a gateway"
      detail="The sandbox on this computer needs no setup. Choose the network whose events you want to receive. Tondesk then shows this network on all pages."
    >
      <Stack gap="l">
        <Loaded query={useData('network.list')} of="the networks" rows={3}>
          {({ networks }) => (
            <Stack as="ul" gap="s">
              {networks
                .filter(({ kind }) => kind !== 'sandbox')
                .map(({ id, name, urls }) => (
                  <Row as="li" key={id} line="box" pad="m" justify="between" wrap>
                    <Stack gap="none">
                      <NetworkTag id={id} />
                      <Text size="s" tone="dim" mono over="break">
                        {urls?.webhooks}
                      </Text>
                    </Stack>
                    <Button kind="main" onClick={() => void selectNetwork(id)}>
                      Set up {name}
                    </Button>
                  </Row>
                ))}
            </Stack>
          )}
        </Loaded>
        {isOpen ? (
          <Section title="Another gateway">
            <NetworkForm
              network={null}
              onClose={(saved) => {
                setOpen(false)
                if (saved !== undefined) void selectNetwork(saved.id)
              }}
            />
          </Section>
        ) : (
          <Row wrap>
            <Button ref={button} icon="plus" onClick={() => setOpen(true)}>
              Add another gateway
            </Button>
            <Hint>For a self-hosted gateway, or one in your own network.</Hint>
          </Row>
        )}
      </Stack>
    </Section>
  )
}

function KeyStep({ network, setup }: StepProps) {
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

/** Shows the limits of this key, as far as the gateway's responses state them. */
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
