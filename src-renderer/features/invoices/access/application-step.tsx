import { useRef, useState } from 'react'
import type {
  InvoiceAccess,
  InvoiceAccessStep,
  InvoiceApplication,
} from '../../../../src-preload/contract/invoice-access.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { request } from '../../../app/bridge.ts'
import { friendlyAddress } from '../../../components/friendly-address.ts'
import { useResource, valueOf } from '../../../app/resource.ts'
import { Button } from '../../../ui/button.tsx'
import { Choices } from '../../../ui/chip.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useOpener } from '../../../ui/use-opener.ts'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { TargetNetwork } from '../../../components/network-tag.tsx'
import { sandboxWallets } from './sandbox-wallets.ts'
import { StepProblem } from './step-problem.tsx'
import { useStep } from './use-step.ts'
import styles from './access.module.css'

/** Whom invoices are issued by, and the address that is paid. */
export function ApplicationStep({
  network,
  access,
  step: { state, canDo },
}: {
  network: Network
  access: InvoiceAccess
  step: InvoiceAccessStep
}) {
  const { application } = access
  const { isOpen, setOpen, button } = useOpener()
  if (state === 'blocked') return null
  const isAsked = isOpen || (canDo && application === null)
  return (
    <>
      {application !== null && !isOpen && <Known application={application} />}
      {!access.canManage && <AppId network={network} access={access} />}
      {isAsked ? (
        <ApplicationForm
          network={network}
          known={application}
          onClose={application === null ? null : () => setOpen(false)}
        />
      ) : (
        canDo &&
        application !== null && (
          <div className={styles['line']}>
            <Button ref={button} onClick={() => setOpen(true)}>
              Change…
            </Button>
          </div>
        )
      )}
    </>
  )
}

function Known({ application }: { application: InvoiceApplication }) {
  const { id, name, description, recipient } = application
  return (
    <KeyValues
      className={styles['facts']}
      pairs={[
        ['Name', <UntrustedText text={name} />],
        ['Description', description === '' ? null : <UntrustedText text={description} />],
        [
          'Recipient',
          <AccountLink
            account={{ address: recipient, name: null, label: null, isScam: false, isWallet: true }}
          />,
        ],
        ['App id', <code>{id}</code>],
      ]}
    />
  )
}

/** Some gateways tell nothing of the application to its token, and want its number in requests. */
function AppId({ network, access }: { network: Network; access: InvoiceAccess }) {
  const kept = access.appId ?? ''
  const [typed, setTyped] = useState<string | null>(null)
  const step = useStep()
  const appId = (typed ?? kept).trim()
  const save = async () => {
    const saved = await step.run(
      () =>
        request('invoiceAccess.setIds', {
          network: network.id,
          appId: appId === '' ? null : appId,
          projectId: access.projectId,
        }),
      { said: 'The app id is kept' },
    )
    if (saved) setTyped(null)
  }
  return (
    <form
      className={styles['form']}
      aria-label="App id"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!step.busy) void save()
      }}
    >
      <TextField
        label="App id"
        mono
        inputMode="numeric"
        maxLength={30}
        hint="As the console shows it. Without it the gateway may not list the invoices."
        value={typed ?? kept}
        onChange={setTyped}
        error={step.errors['appId']}
        suffix={
          <Button type="submit" disabled={appId === kept} busy={step.busy}>
            Keep
          </Button>
        }
      />
      <StepProblem why={step.problem} />
    </form>
  )
}

function ApplicationForm({
  network,
  known,
  onClose,
}: {
  network: Network
  known: InvoiceApplication | null
  onClose: (() => void) | null
}) {
  const [name, setName] = useState(known?.name ?? '')
  const [description, setDescription] = useState(known?.description ?? '')
  const [recipient, setRecipient] = useState(() => shownAddress(known?.recipient ?? '', network))
  const field = useRef<HTMLInputElement>(null)
  const step = useStep()

  const save = async () => {
    if (known !== null && !(await mayChange(network, known, recipient))) return
    const saved = await step.run(
      () =>
        request('invoiceAccess.setApplication', {
          network: network.id,
          name,
          description,
          recipient,
        }),
      // What is no address, or one of another network, is said by the main process without a field.
      { said: 'The application is registered', field: 'recipient' },
    )
    if (saved) onClose?.()
  }

  return (
    <form
      className={styles['form']}
      aria-label="Application"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!step.busy) void save()
      }}
    >
      <TextField
        label="Name"
        maxLength={100}
        placeholder="My shop"
        autoFocus={known !== null}
        value={name}
        onChange={setName}
        error={step.errors['name']}
      />
      <TextField
        label="Description"
        maxLength={300}
        value={description}
        onChange={setDescription}
        error={step.errors['description']}
      />
      <TextField
        label="Recipient address"
        mono
        maxLength={120}
        ref={field}
        placeholder={network.testOnly ? '0Q… or kQ…' : 'UQ… or EQ…'}
        hint={`In any form, of ${network.name}. All payments go there: Tondesk and the gateway hold nothing.`}
        value={recipient}
        onChange={setRecipient}
        error={step.errors['recipient']}
      />
      {network.kind === 'sandbox' && <OwnWallets recipient={recipient} onChoose={setRecipient} />}
      <StepProblem why={step.problem} />
      <div className={styles['line']}>
        <Button type="submit" kind="main" busy={step.busy}>
          {known === null ? 'Register the application' : 'Change the application'}
        </Button>
        {onClose !== null && <Button onClick={onClose}>Cancel</Button>}
        <TargetNetwork network={network} />
      </div>
    </form>
  )
}

/** A newcomer has no address at hand. */
function OwnWallets({
  recipient,
  onChoose,
}: {
  recipient: string
  onChoose: (address: string) => void
}) {
  const wallets = valueOf(useResource(sandboxWallets)) ?? []
  if (wallets.length === 0) return null
  return (
    <div className={styles['wallets']}>
      <span className={styles['note']}>A wallet of the sandbox:</span>
      <Choices<string>
        label="A wallet of the sandbox"
        value={recipient}
        options={wallets.map(({ name, friendly }) => ({ value: friendly, label: name }))}
        onChange={onChoose}
      />
    </div>
  )
}

function shownAddress(raw: string, { testOnly }: Network): string {
  return friendlyAddress(raw, { bounceable: false, testOnly }) ?? raw
}

/** Another recipient is where the money goes from then on. */
async function mayChange(
  network: Network,
  known: InvoiceApplication,
  recipient: string,
): Promise<boolean> {
  const isSame = [known.recipient, shownAddress(known.recipient, network)].includes(
    recipient.trim(),
  )
  if (isSame) return true
  return confirm({
    title: 'Have invoices paid to another address?',
    detail: (
      <div className={styles['question']}>
        <TargetNetwork network={network} />
        <p>
          Invoices issued from then on are paid to <code>{recipient.trim()}</code>. Those there are
          keep the address they were issued with.
        </p>
      </div>
    ),
    action: 'Change the recipient',
    destructive: true,
  })
}
