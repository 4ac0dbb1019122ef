import type {
  SandboxAccess,
  SandboxChain,
  SandboxInvoicesApp,
  SandboxMatching,
} from '../../../src-preload/contract/sandbox.ts'
import { request, put, useData } from '../../app/bridge.ts'
import { Button } from '../../ui/button.tsx'
import { Row, Section, Stack, Tag } from '../../ui/layout.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RadioList, TextArea } from '../../ui/form.tsx'
import {
  ActionForm,
  AddressField,
  RunResult,
  useActionForm,
  useButtonAction,
} from './action-form.tsx'

export function InvoicesTab({ chain }: { chain: SandboxChain }) {
  return (
    <>
      <Access state={chain.access.state} />
      <Matching rule={chain.matching} />
      <Loaded
        query={useData('sandbox.invoicesApp')}
        of="the recipient and the webhook URLs"
        rows={4}
      >
        {(app) => <AppForm app={app} chain={chain} />}
      </Loaded>
    </>
  )
}

const accessStates: Readonly<Record<SandboxAccess, string>> = {
  registered: 'account registered',
  requested: 'project ID sent',
  verified: 'project verified',
  granted: 'granted',
  withdrawn: 'withdrawn',
}

function Access({ state }: { state: SandboxAccess }) {
  const action = useButtonAction()
  const set = (to: SandboxAccess, label: string, result: string) =>
    state !== to && (
      <Button
        busy={action.busy}
        onClick={() =>
          action.start(async () => {
            await request('sandbox.setAccess', { state: to })
            return result
          })
        }
      >
        {label}
      </Button>
    )
  return (
    <Section
      title="Access to invoices"
      actions={<Tag tone={state === 'granted' ? 'ok' : 'bad'}>{accessStates[state]}</Tag>}
      detail="The real service grants access to invoices after a setup. In the sandbox, access is granted from the start. Withdraw access to test how your backend handles a 403 response, or start the setup again and follow its steps under Invoices › Set up."
    >
      <Stack>
        <Row wrap>
          {set('granted', 'Grant access', 'Access granted')}
          {state === 'granted' &&
            set(
              'withdrawn',
              'Withdraw access',
              'Access is withdrawn: the invoices API responds with 403',
            )}
          {set('registered', 'Start the setup again', 'Setup started again')}
        </Row>
        <RunResult {...action} />
      </Stack>
    </Section>
  )
}

const rules: readonly { value: SandboxMatching; label: string; why: string }[] = [
  {
    value: 'comment',
    label: 'Match by comment',
    why: 'The payment comment contains the invoice ID.',
  },
  {
    value: 'amount',
    label: 'Match by amount',
    why: 'The payment has the same amount as the invoice.',
  },
  { value: 'address', label: 'Match by address', why: 'Each invoice has its own address.' },
]

function Matching({ rule }: { rule: SandboxMatching }) {
  const action = useButtonAction()
  const choose = (next: SandboxMatching) =>
    action.start(async () => {
      await request('sandbox.setMatching', { rule: next })
      const label = rules.find(({ value }) => value === next)?.label ?? next
      return `Payment matching changed: ${label.toLowerCase()}`
    })
  return (
    <Section title="Payment matching">
      <Stack>
        <RadioList
          label="How the sandbox matches payments to invoices"
          value={rule}
          options={rules}
          onChange={choose}
        />
        <RunResult {...action} />
      </Stack>
    </Section>
  )
}

function AppForm({ app, chain }: { app: SandboxInvoicesApp; chain: SandboxChain }) {
  const receiverUrl = useData('receiver.state').data?.url ?? null
  const wallet = chain.wallets.find(({ address }) => address === app.recipient)
  const form = useActionForm(
    { recipient: wallet?.name ?? app.recipient, webhooks: app.webhooks.join('\n') },
    async ({ recipient, webhooks }, report) => {
      const next = await request('sandbox.setInvoicesApp', {
        recipient: chain.wallets.find(({ name }) => name === recipient)?.address ?? recipient,
        webhooks: urlsOf(webhooks),
      })
      put('sandbox.invoicesApp', undefined, next)
      report('Invoice settings saved')
    },
    { clears: true },
  )
  const urls = urlsOf(form.values.webhooks)
  return (
    <ActionForm
      title="Recipient address and webhook URLs"
      form={form}
      action="Save recipient and URLs"
      beside={
        receiverUrl !== null &&
        !urls.includes(receiverUrl) && (
          <Button
            icon="plus"
            onClick={() => form.change({ webhooks: [...urls, receiverUrl].join('\n') })}
          >
            Add receiver URL
          </Button>
        )
      }
    >
      <AddressField label="Recipient" wallets={chain.wallets} {...form.field('recipient')} />
      <TextArea
        label="Webhook URLs"
        hint="The sandbox sends a request to these URLs each time the status of an invoice changes. Enter one URL per line."
        mono
        {...form.field('webhooks')}
      />
    </ActionForm>
  )
}

const urlsOf = (text: string) => text.split(/\s+/).filter((url) => url !== '')
