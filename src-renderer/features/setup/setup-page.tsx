/** The setup of a network, from its key to a first delivery. Each step is done in its place. */
import { type ComponentType, useEffect, useRef } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import { useData } from '../../app/bridge.ts'
import { navigate, routeHref, useRoute } from '../../app/route.ts'
import { type SetupStep, setupHome, setupSteps } from '../../app/setup-route.ts'
import { NetworkPage } from '../../components/chain/network-page.tsx'
import { TunnelSetup } from '../../components/delivery/tunnel-setup.tsx'
import { AccessSteps, useInvoiceAccess } from '../../components/invoices/access-list.tsx'
import { NetworkTag } from '../../components/network-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { Hint, Note, Row, Section, Stack, Tag, type Tone, Small } from '../../ui/layout.tsx'
import { Loaded, Progress } from '../../ui/loaded.tsx'
import { Guide } from '../../ui/steps.tsx'
import { AccountsStep } from './accounts-step.tsx'
import { ChooseGateway } from './choose-gateway.tsx'
import { CodeStep } from './code-step.tsx'
import { DeliveryStep } from './delivery-step.tsx'
import { KeyStep } from './key-step.tsx'
import {
  isLocalGateway,
  nextStep,
  offersInvoices,
  requiredSteps,
  type StepState,
} from './setup-state.ts'
import { type StepProps, useSetup } from './use-setup.ts'
import { WebhookStep } from './webhook-step.tsx'

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
  // The first step that is not done is opened once; it stays open when it is done.
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

/** The last step whose heading had the focus, so that the first one shown leaves it where it is. */
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
  if (offersInvoices(network)) return <Access network={network} />
  return (
    <Section title="Invoices are not available">
      <Hint>
        {network.name} has no URL for invoices. If its gateway offers them, add the URL to the
        network.
      </Hint>
    </Section>
  )
}

function Access({ network }: Pick<StepProps, 'network'>) {
  const query = useInvoiceAccess(network)
  return (
    <Loaded query={query} of={`the access to invoices of ${network.name}`} rows={8}>
      {(access) => (
        <>
          {access.problem !== null && (
            <Note tone="bad">
              {access.problem} <Button onClick={() => void query.refetch()}>Try again</Button>
            </Note>
          )}
          <AccessSteps access={access} />
        </>
      )}
    </Loaded>
  )
}
