import { useId } from 'react'
import type { SandboxWallet } from '../../../src-preload/contract/sandbox.ts'
import type { Currency } from '../../../src-preload/domain/amount.ts'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import styles from './forms.module.css'
import { currencyChoices } from '../../components/amount.ts'

export function AmountField({
  label = 'Amount',
  amount,
  currency,
  onAmount,
  onCurrency,
  hint,
  error,
}: {
  label?: string
  amount: string
  currency: Currency
  onAmount: (amount: string) => void
  /** Without it the currency is fixed. */
  onCurrency?: (currency: Currency) => void
  hint?: string | undefined
  error?: string | undefined
}) {
  return (
    <TextField
      label={label}
      mono
      inputMode="decimal"
      value={amount}
      onChange={onAmount}
      hint={hint}
      error={error}
      suffix={
        onCurrency === undefined ? (
          currency
        ) : (
          <Select
            label={`${label}, currency`}
            value={currency}
            onChange={onCurrency}
            options={currencyChoices}
          />
        )
      }
    />
  )
}

export function WalletField({
  label,
  value,
  onChange,
  wallets,
}: {
  label: string
  value: string
  onChange: (name: string) => void
  wallets: readonly SandboxWallet[]
}) {
  return (
    <div className={styles['field']}>
      <span className={styles['label']}>{label}</span>
      <Select
        label={label}
        value={value}
        onChange={onChange}
        options={wallets.map(({ name }) => ({ value: name, label: name }))}
      />
    </div>
  )
}

/** An address in any form, or the name of a wallet, which are offered while one types. */
export function AddressField({
  label,
  value,
  onChange,
  wallets,
  error,
  hint,
  placeholder,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  wallets: readonly SandboxWallet[]
  error?: string | undefined
  hint?: string | undefined
  placeholder?: string
}) {
  const id = useId()
  return (
    <>
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        error={error}
        hint={hint}
        list={id}
        {...(placeholder !== undefined && { placeholder })}
      />
      <datalist id={id}>
        {wallets.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

export const amountProblem = 'Type an amount, such as 1.5.'
