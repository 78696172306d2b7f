/**
 * How a document class becomes a template: the name of its documents, their identifying fields, and fields that name things.
 */
export interface ClassHint {
  /** The class of the root. */
  root: string;
  /** The fields that identify a document. */
  ids: readonly string[];
  /** Fields that refer to a separate entity: its class, and the label of the relation to it. */
  things?: Readonly<Record<string, readonly [type: string, relation: string]>>;
  /**
   * Nested fields: the class of an entry, the relation to it, and its identifying fields; entries belong to their document
   * unless `isShared`.
   */
  parts?: Readonly<Record<string, ClassPart>>;
}

interface ClassPart {
  type: string;
  relation: string;
  ids: readonly string[];
  isShared?: boolean;
}

const party = 'Party';
const person = 'Person';
const authority = 'Authority';
const seller = { seller_name: [party, 'SOLD_BY'] } as const;
const buyer = { buyer_name: [party, 'SOLD_TO'] } as const;
const employee = { employee_name: [person, 'ABOUT'] } as const;
const employer = { employer_name: [party, 'EMPLOYED_BY'] } as const;
const insured = { insured_name: [person, 'INSURES'] } as const;
const policy = { policy_number: ['Policy', 'UNDER_POLICY'] } as const;
const issuedBy = { issuing_authority: [authority, 'ISSUED_BY'] } as const;
const definePart = (type: string, relation: string, ...ids: string[]): ClassPart => ({ type, relation, ids });
const defineShared = (type: string, relation: string, ...ids: string[]): ClassPart => ({
  type,
  relation,
  ids,
  isShared: true,
});

/** Hints for the bundled document classes, by `document_type`. */
export const classHints: Readonly<Record<string, ClassHint>> = {
  bank_statements: {
    root: 'BankStatement',
    ids: ['account_number', 'statement_end'],
    things: { bank_name: [party, 'ISSUED_BY'], account_holder: [party, 'HELD_BY'] },
    parts: { transactions: definePart('Transaction', 'HAS_TRANSACTION', 'booking_date', 'description') },
  },
  bill_of_lading: {
    root: 'BillOfLading',
    ids: ['bill_number'],
    things: {
      shipper: [party, 'SHIPPED_BY'],
      consignee: [party, 'SHIPPED_TO'],
      carrier: [party, 'CARRIED_BY'],
      vessel: ['Vessel', 'CARRIED_ON'],
      port_of_loading: ['Port', 'LOADED_AT'],
      port_of_discharge: ['Port', 'DISCHARGED_AT'],
    },
    parts: { packages: definePart('Package', 'CONTAINS', 'marks', 'description') },
  },
  business_licenses_permits: {
    root: 'BusinessLicense',
    ids: ['license_number'],
    things: { business_name: [party, 'LICENSES'], owner_name: [person, 'OWNED_BY'], ...issuedBy },
  },
  claimant_s_statement: {
    root: 'ClaimantStatement',
    ids: ['policy_number', 'claimant_name'],
    things: insured,
  },
  client_success_case_study: {
    root: 'CaseStudy',
    ids: ['title'],
    things: { client_name: [party, 'ABOUT'], industry: ['Industry', 'IN_INDUSTRY'] },
    parts: { results: definePart('Result', 'ACHIEVED', 'measure') },
  },
  contract: {
    root: 'Contract',
    ids: ['contract_number', 'title'],
    parts: {
      parties: defineShared(party, 'AGREED_BY', 'name'),
      signatures: definePart('Signature', 'SIGNED_WITH', 'signer'),
    },
  },
  credit_card_statements: {
    root: 'CardStatement',
    ids: ['card_number', 'statement_date'],
    things: { issuer: [party, 'ISSUED_BY'], card_holder: [person, 'HELD_BY'] },
    parts: { transactions: definePart('Transaction', 'HAS_TRANSACTION', 'transaction_date', 'merchant') },
  },
  credit_note: {
    root: 'CreditNote',
    ids: ['credit_note_number'],
    things: { ...seller, ...buyer, invoice_number: ['Invoice', 'CREDITS'] },
  },
  customer_data_table: {
    root: 'CustomerTable',
    ids: ['exported_on'],
    parts: { customers: defineShared('Customer', 'LISTS', 'customer_id') },
  },
  customer_information: { root: 'CustomerRecord', ids: ['customer_id'], things: { full_name: [person, 'ABOUT'] } },
  customs_form: {
    root: 'CustomsDeclaration',
    ids: ['declaration_number'],
    things: {
      declarant: [party, 'DECLARED_BY'],
      exporter: [party, 'EXPORTED_BY'],
      importer: [party, 'IMPORTED_BY'],
      country_of_origin: ['Country', 'FROM_COUNTRY'],
      country_of_destination: ['Country', 'TO_COUNTRY'],
    },
    parts: { goods: definePart('Good', 'CONTAINS', 'description', 'tariff_code') },
  },
  delivery_receipt: {
    root: 'DeliveryReceipt',
    ids: ['delivery_number'],
    things: {
      order_number: ['PurchaseOrder', 'FULFILS'],
      carrier: [party, 'CARRIED_BY'],
      recipient_name: [party, 'DELIVERED_TO'],
    },
    parts: { items: definePart('DeliveredItem', 'CONTAINS', 'description') },
  },
  diploma_certification: {
    root: 'Certificate',
    ids: ['certificate_number', 'holder_name', 'title'],
    things: { institution: ['Institution', 'AWARDED_BY'] },
  },
  disability_income_claim: {
    root: 'DisabilityClaim',
    ids: ['policy_number', 'disability_began'],
    things: { ...insured, physician_name: [person, 'TREATED_BY'] },
  },
  driver_license: {
    root: 'DriverLicense',
    ids: ['license_number'],
    things: { full_name: [person, 'HELD_BY'], ...issuedBy },
  },
  employment_eligibility_form: {
    root: 'EmploymentEligibility',
    ids: ['employee_name', 'first_day'],
    things: employer,
    parts: { documents: definePart('ShownDocument', 'PROVED_BY', 'title', 'number') },
  },
  expense_reports: {
    root: 'ExpenseReport',
    ids: ['report_number'],
    things: { ...employee, approved_by: [person, 'APPROVED_BY'] },
    parts: { expenses: definePart('Expense', 'CLAIMS', 'expense_date', 'description', 'category') },
  },
  financial_statement: {
    root: 'FinancialStatement',
    ids: ['statement_type', 'period_end', 'company_name'],
    parts: { lines: definePart('StatementLine', 'HAS_LINE', 'label') },
  },
  insurance_application_form: {
    root: 'InsuranceApplication',
    ids: ['application_number'],
    things: { applicant_name: [party, 'APPLIED_BY'], broker_name: [party, 'BROKERED_BY'] },
    parts: { insured_items: definePart('InsuredItem', 'INSURES', 'description') },
  },
  insurance_claim: {
    root: 'InsuranceClaim',
    ids: ['claim_number'],
    things: { ...policy, claimant_name: [party, 'CLAIMED_BY'] },
  },
  invoice: {
    root: 'Invoice',
    ids: ['invoice_number'],
    things: { purchase_order_number: ['PurchaseOrder', 'BILLS'] },
    parts: {
      seller: defineShared(party, 'SOLD_BY', 'name'),
      buyer: defineShared(party, 'SOLD_TO', 'name'),
      line_items: definePart('LineItem', 'CONTAINS', 'description'),
    },
  },
  lease_agreement: {
    root: 'Lease',
    ids: ['property_address', 'start_date'],
    things: { landlord_name: [party, 'LET_BY'] },
    parts: { tenants: defineShared(party, 'LET_TO', 'name') },
  },
  life_insurance_authorization_form: {
    root: 'LifeInsuranceAuthorization',
    ids: ['policy_number', 'insured_name'],
    things: { signed_by: [person, 'SIGNED_BY'] },
  },
  meeting_minutes: {
    root: 'Meeting',
    ids: ['title', 'meeting_date'],
    things: { chair: [person, 'CHAIRED_BY'], location: ['Place', 'HELD_AT'] },
    parts: {
      topics: definePart('Topic', 'DISCUSSED', 'subject'),
      action_items: definePart('ActionItem', 'DECIDED', 'task'),
    },
  },
  mortgage_lending_document: {
    root: 'Mortgage',
    ids: ['loan_number'],
    things: { borrower_name: [party, 'BORROWED_BY'], lender_name: [party, 'LENT_BY'] },
  },
  national_id_card: { root: 'IdentityCard', ids: ['card_number'], things: issuedBy },
  order_request_form: {
    root: 'OrderRequest',
    ids: ['request_number'],
    things: { requester_name: [person, 'REQUESTED_BY'], department: ['Department', 'FOR_DEPARTMENT'] },
    parts: { items: definePart('RequestedItem', 'REQUESTS', 'description') },
  },
  passport: {
    root: 'Passport',
    ids: ['passport_number'],
    things: { issuing_country: ['Country', 'ISSUED_BY'], authority: [authority, 'ISSUED_BY'] },
  },
  patient_intake_form: {
    root: 'PatientIntake',
    ids: ['patient_name', 'signed_on'],
    things: { insurer: [party, 'INSURED_BY'] },
    parts: { emergency_contact: defineShared(person, 'HAS_CONTACT', 'name') },
  },
  pay_slip: {
    root: 'PaySlip',
    ids: ['employee_number', 'period_end'],
    things: { ...employee, employer_name: [party, 'PAID_BY'] },
    parts: { deductions: definePart('Deduction', 'DEDUCTS', 'label') },
  },
  purchase_order: {
    root: 'PurchaseOrder',
    ids: ['order_number'],
    things: {
      buyer_name: [party, 'ORDERED_BY'],
      supplier_name: [party, 'ORDERED_FROM'],
      approved_by: [person, 'APPROVED_BY'],
    },
    parts: { items: definePart('OrderedItem', 'ORDERS', 'item_code', 'description') },
  },
  quotation: {
    root: 'Quotation',
    ids: ['quotation_number'],
    things: { ...seller, customer_name: [party, 'OFFERED_TO'] },
    parts: { items: definePart('QuotedItem', 'OFFERS', 'description') },
  },
  receipt: {
    root: 'Receipt',
    ids: ['receipt_number', 'purchase_date'],
    things: { merchant_name: [party, 'SOLD_BY'] },
    parts: { items: definePart('BoughtItem', 'CONTAINS', 'name') },
  },
  remittance_payment_advice: {
    root: 'PaymentAdvice',
    ids: ['advice_number'],
    things: { payer_name: [party, 'PAID_BY'], payee_name: [party, 'PAID_TO'] },
    parts: { invoices: defineShared('Invoice', 'PAYS', 'invoice_number') },
  },
  resume: {
    root: 'Resume',
    ids: ['full_name'],
    parts: {
      experience: definePart('Position', 'WORKED_AS', 'employer', 'position'),
      education: definePart('Degree', 'STUDIED', 'institution', 'degree'),
    },
  },
  sales_agreements: {
    root: 'SalesAgreement',
    ids: ['agreement_number'],
    things: { ...seller, ...buyer },
  },
  school_admission_form: {
    root: 'SchoolAdmission',
    ids: ['student_name', 'school_year'],
    things: { previous_school: ['School', 'ATTENDED'] },
    parts: { guardians: defineShared(person, 'HAS_GUARDIAN', 'name') },
  },
  tax_forms: {
    root: 'TaxForm',
    ids: ['form_name', 'tax_year', 'taxpayer_id'],
    things: { taxpayer_name: [party, 'ABOUT'] },
  },
  transcripts: {
    root: 'Transcript',
    ids: ['student_id', 'program'],
    things: { student_name: [person, 'ABOUT'], institution: ['Institution', 'ISSUED_BY'] },
    parts: { courses: definePart('Course', 'TOOK', 'code', 'title') },
  },
  utility_bill: {
    root: 'UtilityBill',
    ids: ['account_number', 'period_end'],
    things: { provider_name: [party, 'BILLED_BY'], customer_name: [party, 'BILLED_TO'] },
  },
  withholding_form: { root: 'WithholdingForm', ids: ['employee_name', 'taxpayer_id'] },
};
