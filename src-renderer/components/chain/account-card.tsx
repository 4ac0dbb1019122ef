/**
 * The card of an account under the pointer, and the dialog for its label. One `AccountOverlays`
 * renders both.
 */
import { PreviewCard } from '@base-ui/react/preview-card'
import { create } from 'zustand'
import type { Label } from '../../../src-preload/contract/label.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { attempt, request } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton, announce } from '../../ui/toast.tsx'
import { FormDialog, TextArea, TextField } from '../../ui/form.tsx'
import { Tag, Text, Row, Stack } from '../../ui/layout.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { friendlyAddress } from '../friendly-address.ts'
import surface from '../../ui/surface.module.css'
import { classes } from '../../ui/classes.ts'
import styles from './chain.module.css'

type Shown = {
  readonly network: Network
  readonly address: string
  readonly name: string | null
  readonly isWallet: boolean
}

export const accountCard = PreviewCard.createHandle<Shown>()

type Edited = Pick<Label, 'address' | 'name' | 'note'> & {
  readonly network: NetworkId
  readonly isNew: boolean
}

const useEdited = create<{ edited: Edited | null }>(() => ({ edited: null }))

/** Opens the dialog for a label; without an address, for a new label. */
export async function editLabel(network: NetworkId, address?: string): Promise<void> {
  const found =
    address === undefined
      ? []
      : await attempt('Could not load the label', async () => {
          const page = await request('label.list', { network, text: address, limit: 100 })
          return page.labels.filter((each) => each.address === address)
        })
  if (found === undefined) return
  const [label] = found
  const { name = '', note = '' } = label ?? {}
  useEdited.setState({
    edited: { network, address: address ?? '', name, note, isNew: label === undefined },
  })
}

/** Mounted once, in the frame. */
export function AccountOverlays() {
  const { edited } = useEdited()
  return (
    <>
      <PreviewCard.Root handle={accountCard}>
        {({ payload }) => (
          <PreviewCard.Portal>
            <PreviewCard.Positioner sideOffset={6} align="start">
              <PreviewCard.Popup className={classes(surface['raised'], styles['card'])}>
                {payload !== undefined && <Card {...payload} />}
              </PreviewCard.Popup>
            </PreviewCard.Positioner>
          </PreviewCard.Portal>
        )}
      </PreviewCard.Root>
      {edited !== null && (
        <LabelDialog
          key={edited.address}
          edited={edited}
          onClose={() => useEdited.setState({ edited: null })}
        />
      )}
    </>
  )
}

function Card({ network, address, name, isWallet }: Shown) {
  const { testOnly } = network
  const form = (bounceable: boolean) => friendlyAddress(address, { bounceable, testOnly })
  const forms = [
    ['Non-bounceable', form(false)],
    ['Bounceable', form(true)],
    ['Raw', address],
  ] as const
  return (
    <Stack gap="s">
      <Row gap="s">
        <Text strong over="cut">
          {name === null ? isWallet ? 'Wallet' : 'Account' : <UntrustedText text={name} />}
        </Text>
        {name !== null && isWallet && <Tag>wallet</Tag>}
        <Row last gap="none">
          {/* A second dialog would take the focus from the open one. Messages also have the role
              of a dialog. */}
          {document.querySelector('[data-modal]') === null && (
            <Button
              kind="quiet"
              icon="note"
              onClick={() => {
                accountCard.close()
                void editLabel(network.id, address)
              }}
            >
              Edit label…
            </Button>
          )}
        </Row>
      </Row>
      <KeyValues
        pairs={forms.map(([what, text]) => [
          what,
          text === null ? null : (
            <Row key={what} gap="xs" align="start">
              <Text mono over="break">
                {text}
              </Text>
              <Row last gap="none">
                <CopyButton text={text} what={`${what} address`} iconOnly kind="quiet" />
              </Row>
            </Row>
          ),
        ])}
      />
    </Stack>
  )
}

function LabelDialog({ edited, onClose }: { edited: Edited; onClose: () => void }) {
  const { network, address, name, note, isNew } = edited
  const form = useForm({ address, name, note }, async (values) => {
    const label = values.name.trim()
    if (label === '' && (isNew || values.note.trim() !== '')) return { name: 'Enter a label.' }
    await request('label.set', { network, ...values })
    announce(label === '' ? 'Label removed' : `${label} saved`)
    onClose()
    return undefined
  })
  // An error without a field means that the address could not be parsed.
  const problem = form.problem ?? undefined
  return (
    <FormDialog
      title={isNew ? 'Add a label' : `Edit “${name}”`}
      form={{ ...form, problem: null }}
      action="Save"
      onClose={onClose}
    >
      <TextField
        label="Address"
        mono
        readOnly={address !== ''}
        {...form.field('address')}
        error={form.errors['address'] ?? problem}
      />
      <TextField label="Label" maxLength={100} autoFocus={address !== ''} {...form.field('name')} />
      <TextArea label="Note" maxLength={1000} {...form.field('note')} />
    </FormDialog>
  )
}
