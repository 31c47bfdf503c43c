"""What people fill in about grading contracts."""

from .editing import ContractForm, RuleForm
from .importing import ImportForm, StarterForm

__all__ = ["ContractForm", "ImportForm", "RuleForm", "StarterForm"]
