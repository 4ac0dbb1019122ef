import type {
  SandboxChain,
  SandboxPolicy,
  SandboxWebhook,
} from '../../../src-preload/contract/sandbox.ts'
import { request } from '../../app/bridge.ts'
import { parseInteger } from '../../app/use-form.ts'
import { parseSpan } from '../../../src-preload/domain/time-span.ts'
import { Endpoint } from '../../components/webhook.tsx'
import { formatTimeSpan, readSpans } from '../../components/time-span.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/format.ts'
import { Columns, Section, Stack, Tag } from '../../ui/layout.tsx'
import { Table, column } from '../../ui/table.tsx'
import { TextArea, TextField } from '../../ui/form.tsx'
import { ActionForm, RunResult, useActionForm, useButtonAction } from './action-form.tsx'

export function DeliveriesTab({ chain }: { chain: SandboxChain }) {
  return (
    <>
      <Webhooks chain={chain} />
      <PolicyForm policy={chain.policy} />
    </>
  )
}

function Webhooks({ chain: { webhooks, network } }: { chain: SandboxChain }) {
  const action = useButtonAction()
  const bringOnline = ({ id }: SandboxWebhook) =>
    action.start(async () => {
      await request('sandbox.backOnline', { network, webhookId: id })
      return `Webhook ${id} is online again. The sandbox is sending its waiting deliveries`
    })
  return (
    <Section
      title="Webhooks of this network"
      detail={
        webhooks.length === 0
          ? 'No webhooks yet. Create a webhook for the receiver on the Overview, or send POST /webhooks from your backend.'
          : undefined
      }
    >
      <Stack>
        {webhooks.length > 0 && (
          <Table<SandboxWebhook>
            label="Webhooks of this network"
            scroll
            rows={webhooks}
            keyOf={({ id }) => id}
            columns={[
              column('ID', { look: 'number' }, ({ id }) => id),
              column('State', {}, (webhook) => <WebhookTag webhook={webhook} />),
              column('Endpoint', { grow: 1, width: 172 }, ({ endpoint }) => (
                <Endpoint url={endpoint} />
              )),
              column('Waiting deliveries', { look: 'number' }, ({ waiting }) => waiting),
              column(
                'Actions',
                { hideName: true },
                (webhook) =>
                  webhook.status === 'offline' && (
                    <Button busy={action.busy} onClick={() => bringOnline(webhook)}>
                      Bring back online
                    </Button>
                  ),
              ),
            ]}
          />
        )}
        <RunResult {...action} />
      </Stack>
    </Section>
  )
}

function WebhookTag({ webhook: { status, failedAttempts } }: { webhook: SandboxWebhook }) {
  if (status !== 'online') return <Tag tone="bad">{status}</Tag>
  if (failedAttempts > 0) {
    return (
      <Tag tone="bad" title={formatCount(failedAttempts, 'failed attempt')}>
        failing
      </Tag>
    )
  }
  return <Tag tone="ok">online</Tag>
}

const noTime = 'Enter a time, such as 10 s.'

function PolicyForm({ policy }: { policy: SandboxPolicy }) {
  const initial = {
    retryDelaysMs: policy.retryDelaysMs.map(formatTimeSpan).join(', '),
    timeoutMs: formatTimeSpan(policy.timeoutMs),
    offlineAfterMs: formatTimeSpan(policy.offlineAfterMs),
    concurrency: String(policy.concurrency),
  }
  const send = async (values: typeof initial, report: (text: string) => void) => {
    const retryDelaysMs = readSpans(values.retryDelaysMs)
    const timeoutMs = parseSpan(values.timeoutMs)
    const offlineAfterMs = parseSpan(values.offlineAfterMs)
    const concurrency = parseInteger(values.concurrency)
    if (
      retryDelaysMs === null ||
      timeoutMs === null ||
      offlineAfterMs === null ||
      concurrency === null
    ) {
      return {
        ...(retryDelaysMs === null && {
          retryDelaysMs: 'Enter times separated by commas, such as 5 s, 1 min, 1 h.',
        }),
        ...(timeoutMs === null && { timeoutMs: noTime }),
        ...(offlineAfterMs === null && { offlineAfterMs: noTime }),
        ...(concurrency === null && { concurrency: 'Enter a whole number.' }),
      }
    }
    const next = { retryDelaysMs, timeoutMs, offlineAfterMs, concurrency }
    await request('sandbox.setPolicy', next)
    report('Delivery policy saved')
  }
  const form = useActionForm(initial, send, { clears: true })
  return (
    <ActionForm
      title="Delivery policy"
      detail="The delivery policy determines how the sandbox retries failed deliveries. The default values were chosen for the sandbox, because the real service does not publish its retry schedule."
      form={form}
      action="Save policy"
    >
      <TextArea
        label="Retry schedule"
        hint="Wait times after the first failure, the second failure, and so on. The last wait time repeats."
        {...form.field('retryDelaysMs')}
      />
      <Columns least={150} gap="l">
        <TextField label="Response timeout" {...form.field('timeoutMs')} />
        <TextField
          label="Time until a webhook is offline"
          hint="A webhook goes offline when all its deliveries have failed for this long."
          {...form.field('offlineAfterMs')}
        />
        <TextField
          label="Concurrent requests per endpoint"
          inputMode="numeric"
          {...form.field('concurrency')}
        />
      </Columns>
    </ActionForm>
  )
}
