/** Lists the steps to get access to invoices on a network (specification section 1), each with its action. */
import { type ComponentType, type ReactNode, useEffect } from 'react'
import type {
  InvoiceAccess,
  InvoiceAccessStep,
} from '../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { queries, useData } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { Hint, Note, Section, Stack, Tag, type Tone } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import {
  ApplicationStep,
  ProjectStep,
  type StepProps,
  TickStep,
  TokenStep,
  WebhookStep,
} from './access-steps.tsx'

/** Returns the state of each step. It is loaded again when the list becomes visible again. */
function useInvoiceAccess(network: Network) {
  const query = useData('invoiceAccess.read', { network: network.id })
  const { refetch } = query
  // The user may have done a step in the gateway's console since the last load.
  useEffect(() => {
    const state = queries.getQueryState(['invoiceAccess.read', { network: network.id }])
    if (state?.fetchStatus === 'idle') void refetch()
  }, [refetch, network.id, network.problem, network.secrets.invoices?.hint])
  return query
}

/** The steps, or why they could not be loaded. */
export function AccessPanel({
  network,
  head,
}: {
  network: Network
  /** Above the steps. */
  head?: (access: InvoiceAccess) => ReactNode
}) {
  const query = useInvoiceAccess(network)
  return (
    <Loaded query={query} of={`the access to invoices of ${network.name}`} rows={8}>
      {(access) => {
        const problem = query.error?.message ?? access.problem
        return (
          <>
            {head?.(access)}
            {problem !== null && (
              <Note tone="bad">
                {problem} <Button onClick={() => void query.refetch()}>Try again</Button>
              </Note>
            )}
            <AccessSteps access={access} />
          </>
        )
      }}
    </Loaded>
  )
}

function AccessSteps({ access }: { access: InvoiceAccess }) {
  const { steps } = access
  const next = steps.find(({ state }) => state === 'open')
  return (
    <ol aria-label="Setup steps">
      {steps.map((step, index) => {
        const { word, tone } = states[step.state]
        const Content = contents[step.id]
        return (
          <li key={step.id} aria-current={step === next ? 'step' : undefined}>
            <Section title={`${index + 1}. ${step.title}`} actions={<Tag tone={tone}>{word}</Tag>}>
              <Stack>
                <Hint>{step.text}</Hint>
                <Content access={access} step={step} />
              </Stack>
            </Section>
          </li>
        )
      })}
    </ol>
  )
}

const contents: Record<InvoiceAccessStep['id'], ComponentType<StepProps>> = {
  account: TickStep,
  project: ProjectStep,
  granted: TickStep,
  application: ApplicationStep,
  token: TokenStep,
  webhook: WebhookStep,
}

const states: Record<InvoiceAccessStep['state'], { word: string; tone: Tone }> = {
  done: { word: 'done', tone: 'ok' },
  open: { word: 'to do', tone: 'warn' },
  waiting: { word: 'waiting for the gateway operator', tone: 'plain' },
  blocked: { word: 'complete the steps above first', tone: 'plain' },
  unknown: { word: 'state unknown', tone: 'plain' },
}
