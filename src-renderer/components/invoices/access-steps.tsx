/** Renders the actions in each step of the access to invoices. */
import type {
  InvoiceAccess,
  InvoiceAccessStep,
  InvoiceApplication,
} from '../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../src-preload/contract/network.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { routeHref } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { AccountLink } from '../chain/account-link.tsx'
import { friendlyAddress } from '../friendly-address.ts'
import { isLocalUrl } from '../local-url.ts'
import { NetworkSecret } from '../network-secret.tsx'
import { confirmOn, TargetNetwork, useShownNetwork } from '../network-tag.tsx'
import { Endpoint } from '../webhook.tsx'
import { ActionButton, Button, Choices } from '../../ui/button.tsx'
import { useOpener } from '../../ui/dialog.tsx'
import { Field, Form, TextField } from '../../ui/form.tsx'
import { fromMs } from '../../ui/format.ts'
import { Tag, Text, Note, Row, Hint, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { CopyButton, announce } from '../../ui/toast.tsx'

export type StepProps = { readonly access: InvoiceAccess; readonly step: InvoiceAccessStep }

/** @param access null if the user did not confirm */
function take(access: InvoiceAccess | null, said: string): void {
  if (access === null) return
  put('invoiceAccess.read', { network: access.network }, access)
  announce(said)
}

function useStepForm<V extends object>(
  initial: V,
  said: string,
  send: (values: V) => Promise<InvoiceAccess | null>,
) {
  return useForm(initial, async (values) => take(await send(values), said), { clears: true })
}

/** Performs the action of a step's button. */
async function changeAccess(failure: string, said: string, send: () => Promise<InvoiceAccess>) {
  take((await attempt(failure, send)) ?? null, said)
}

const ticks = {
  account: { action: 'Register the account', tick: 'I have registered' },
  project: { action: 'Send the project ID', tick: 'I have sent it' },
  granted: { action: 'Grant access', tick: 'Access was granted' },
} as const

/** The sandbox performs the step here; on other networks the user ticks it after doing it in the console. */
export function TickStep({ access, step: { id, state, title, canDo } }: StepProps) {
  const { kind } = useShownNetwork()
  const { network, application } = access
  const isDone = state === 'done'
  const step = id as keyof typeof ticks
  // The gateway itself reports the step, so no tick is needed.
  const isShown = application !== null && kind !== 'sandbox'
  if (state === 'blocked' || (isShown && isDone)) return null
  const toggle = () =>
    changeAccess('Could not save the step', `${title}: ${isDone ? 'undone' : 'done'}`, () =>
      request('invoiceAccess.setStep', { network, step, done: !isDone }),
    )
  return (
    <Row>
      {isDone ? (
        <ActionButton kind="link" aria-label={`Undo: ${title}`} action={toggle}>
          Undo
        </ActionButton>
      ) : (
        <ActionButton kind={state === 'open' ? 'main' : 'plain'} action={toggle}>
          {ticks[step][canDo ? 'action' : 'tick']}
        </ActionButton>
      )}
    </Row>
  )
}

/** A field for one of the console's numbers, which some requests need. */
function IdField({
  access: { network, appId, projectId },
  field,
  label,
  hint,
}: Pick<StepProps, 'access'> & { field: 'appId' | 'projectId'; label: string; hint: string }) {
  const ids = { appId: appId ?? '', projectId: projectId ?? '' }
  const known = ids[field]
  const form = useStepForm(ids, `${label} saved`, (typed) =>
    request('invoiceAccess.setIds', {
      network,
      appId: typed.appId.trim() || null,
      projectId: typed.projectId.trim() || null,
    }),
  )
  const isNew = form.values[field].trim() !== known
  return (
    <Form form={form} inline label={label} action="Save" disabled={!isNew}>
      <TextField
        label={label}
        mono
        inputMode="numeric"
        maxLength={30}
        hint={hint}
        {...form.field(field)}
        suffix={!isNew && known !== '' && <CopyButton text={known} what={label} />}
      />
    </Form>
  )
}

export function ProjectStep(props: StepProps) {
  if (useShownNetwork().kind === 'sandbox') return <TickStep {...props} />
  return (
    <>
      <IdField
        access={props.access}
        field="projectId"
        label="Project ID"
        hint="Find this ID in the project settings of the gateway’s console. Some requests require it."
      />
      <TickStep {...props} />
    </>
  )
}

/** The step with the application that issues invoices, and the address that is paid. */
export function ApplicationStep({ access, step: { state, canDo } }: StepProps) {
  const { application, canManage } = access
  const { isOpen, setOpen, button } = useOpener()
  if (state === 'blocked') return null
  const isForm = canDo && (isOpen || application === null)
  return (
    <>
      {application !== null && !isOpen && (
        <KeyValues
          values={{
            Name: <UntrustedText text={application.name} />,
            Description: application.description !== '' && (
              <UntrustedText text={application.description} />
            ),
            Recipient: <AccountLink account={{ address: application.recipient, isWallet: true }} />,
            'App ID': <code>{application.id}</code>,
          }}
        />
      )}
      {!canManage && (
        <IdField
          access={access}
          field="appId"
          label="App ID"
          hint="Find this ID in the gateway’s console. Without the ID, the gateway may not list your invoices."
        />
      )}
      {isForm && (
        <ApplicationForm
          known={application}
          onClose={application === null ? undefined : () => setOpen(false)}
        />
      )}
      {!isForm && canDo && (
        <Row>
          <Button ref={button} onClick={() => setOpen(true)}>
            Edit application…
          </Button>
        </Row>
      )}
    </>
  )
}

function ApplicationForm({
  known,
  onClose,
}: {
  known: InvoiceApplication | null
  onClose: (() => void) | undefined
}) {
  const network = useShownNetwork()
  const initial = {
    name: known?.name ?? '',
    description: known?.description ?? '',
    recipient: formatRecipient(known?.recipient ?? '', network),
  }
  const form = useStepForm(initial, 'Application registered', async (values) => {
    if (known !== null && !(await confirmRecipient(network, known, values.recipient))) return null
    const access = await request('invoiceAccess.setApplication', { network: network.id, ...values })
    onClose?.()
    return access
  })
  return (
    <Form
      // An error without a field belongs to the address.
      form={{ ...form, problem: null }}
      inline
      label="Application"
      action={known === null ? 'Register the application' : 'Save the application'}
      onCancel={onClose}
      beside={<TargetNetwork network={network} />}
    >
      <TextField
        label="Name"
        maxLength={100}
        placeholder="My shop"
        autoFocus={known !== null}
        {...form.field('name')}
      />
      <TextField label="Description" maxLength={300} {...form.field('description')} />
      <TextField
        label="Recipient address"
        mono
        maxLength={120}
        placeholder={network.testOnly ? '0Q… or kQ…' : 'UQ… or EQ…'}
        hint={`An address on ${network.name}, in any format. Payers pay directly to this address: Tondesk and the gateway never hold the money.`}
        {...form.field('recipient')}
        error={form.errors['recipient'] ?? form.problem ?? undefined}
      />
      {network.kind === 'sandbox' && <SandboxWallets {...form.field('recipient')} />}
    </Form>
  )
}

/** A new user has no address yet. */
function SandboxWallets({
  value,
  onChange,
}: {
  value: string
  onChange: (address: string) => void
}) {
  const { data } = useData('sandbox.chain', { network: 'mainnet' })
  const wallets = data?.wallets ?? []
  if (wallets.length === 0) return null
  return (
    <Field label="Sandbox wallet">
      <Choices<string>
        label="Sandbox wallet"
        value={value}
        options={wallets.map(({ name, friendly }) => ({ value: friendly, label: name }))}
        onChange={onChange}
      />
    </Field>
  )
}

function formatRecipient(raw: string, { testOnly }: Network): string {
  return friendlyAddress(raw, { bounceable: false, testOnly }) ?? raw
}

/** Asks the user, because all later payments will go to the changed recipient. */
async function confirmRecipient(
  network: Network,
  { recipient: known }: InvoiceApplication,
  typed: string,
): Promise<boolean> {
  const recipient = typed.trim()
  if (recipient === known || recipient === formatRecipient(known, network)) return true
  return confirmOn(network, {
    title: 'Change the recipient address?',
    detail: (
      <>
        New invoices will be paid to this address: <code>{recipient}</code>. Existing invoices keep
        their recipient.
      </>
    ),
    action: 'Change the recipient',
    destructive: true,
  })
}

/** The step with the token that authorizes requests for invoices. */
export function TokenStep({ access: { token, canManage }, step: { state } }: StepProps) {
  const network = useShownNetwork()
  if (state === 'blocked' && token === null) return null
  const load = async () => (await request('invoiceAccess.token', { network: network.id })).token
  const rotate = async () => {
    const yes = await confirmOn(network, {
      title: 'Rotate the application’s token?',
      detail: `The token that ends in ${token?.hint ?? ''} stops working immediately, so every backend that uses it needs the new token. Tondesk stores the new token with your other secrets.`,
      action: 'Rotate token',
      destructive: true,
    })
    if (!yes) return
    await changeAccess('Could not rotate the token', 'The application has a new token', () =>
      request('invoiceAccess.rotateToken', { network: network.id }),
    )
  }
  return (
    <>
      {network.kind === 'sandbox' ? (
        token !== null && (
          <Row>
            <Text mono>…{token.hint}</Text>
            {token.addedAt > 0 && (
              <Small>
                since <Moment at={fromMs(token.addedAt)} />
              </Small>
            )}
          </Row>
        )
      ) : (
        <NetworkSecret network={network} slot="invoices" />
      )}
      {token !== null && (
        <>
          <Row wrap>
            <CopyButton text={load} what="Invoices API token" label="Copy token" />
            {canManage && (
              <ActionButton icon="key" action={rotate}>
                Rotate token…
              </ActionButton>
            )}
          </Row>
          <Hint>
            Your backend sends the token in this header: <code>Authorization: Bearer</code>. Anyone
            who has the token can issue and cancel invoices in your name.
          </Hint>
        </>
      )}
    </>
  )
}

/** The step with the URLs that receive status changes: this receiver is offered, others can be added. */
export function WebhookStep({
  access: { application, canManage, receiverUrl },
  step: { state },
}: StepProps) {
  const network = useShownNetwork()
  const registered = 'Webhook registered'
  const add = (url: string) => request('invoiceAccess.addWebhook', { network: network.id, url })
  const other = useStepForm({ url: '' }, registered, ({ url }) => add(url.trim()))
  if (state === 'blocked') return null
  const webhooks = application?.webhooks ?? []
  const isHere = webhooks.some((webhook) => webhook.isHere)
  return (
    <>
      {webhooks.length > 0 && (
        <ul aria-label="Application webhooks">
          {webhooks.map((webhook) => (
            <Row as="li" key={webhook.id}>
              <Endpoint url={webhook.url} mono />
              {webhook.isHere && <Tag tone="ok">this receiver</Tag>}
              {canManage && (
                <Button
                  kind="quiet"
                  aria-label={`Remove ${webhook.url}…`}
                  onClick={() => void removeWebhook(network, webhook)}
                >
                  Remove…
                </Button>
              )}
            </Row>
          ))}
        </ul>
      )}
      {!isHere && (
        <Row wrap>
          <Endpoint url={receiverUrl} mono />
          <CopyButton text={receiverUrl} what="Receiver URL" iconOnly kind="quiet" />
          {canManage && (
            <ActionButton
              kind={state === 'open' ? 'main' : 'plain'}
              action={() =>
                changeAccess('Could not register the webhook', registered, () => add(receiverUrl))
              }
            >
              Register the receiver URL
            </ActionButton>
          )}
        </Row>
      )}
      {!isHere && network.kind !== 'sandbox' && isLocalUrl(receiverUrl) && (
        <Note tone="warn">
          The gateway cannot reach this URL from the internet.{' '}
          <a href={routeHref({ page: 'settings', section: 'receiver' })}>
            Give the receiver a public URL
          </a>
          . Without one, Tondesk polls the gateway on a schedule.
        </Note>
      )}
      {canManage && (
        <Form
          form={other}
          inline
          label="Register another webhook"
          action="Register"
          disabled={other.values.url.trim() === ''}
        >
          <TextField
            label="Another webhook URL"
            mono
            type="url"
            inputMode="url"
            maxLength={2000}
            placeholder="https://shop.example.com/invoices"
            {...other.field('url')}
          />
        </Form>
      )}
    </>
  )
}

async function removeWebhook(
  network: Network,
  { id, url }: InvoiceApplication['webhooks'][number],
): Promise<void> {
  const yes = await confirmOn(network, {
    title: 'Remove this webhook?',
    detail: (
      <>
        The gateway stops sending status changes to {url}. You can register the URL again at any
        time.
      </>
    ),
    action: 'Remove',
    destructive: true,
  })
  if (!yes) return
  await changeAccess('Could not remove the webhook', 'Webhook removed', () =>
    request('invoiceAccess.removeWebhook', { network: network.id, id }),
  )
}
