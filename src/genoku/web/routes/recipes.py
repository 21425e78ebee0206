"""Presets, the catalogue of parts, and checks of recipes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from genoku.web.limits import RequestModel, Seed, Until
from genoku.web.live.plan import RecipeRequest
from genoku.web.services import AppServices, in_worker, run_handler

router = APIRouter(prefix="/api", tags=["recipes"])

Recipe = dict[str, Any]


class PartAnswer(BaseModel):
    """An operator or another part of a recipe."""

    kind: str
    name: str
    doc: str = Field(description="One line that says what it does.")
    about: str = Field(description="Details; may be empty.")
    parameters: list[ParameterAnswer]
    sources: list[str] = Field(description="Reports and papers it comes from.")
    deap: list[str] = Field(description="Its names in DEAP, if any.")
    in_deap: str = Field(description="How DEAP's version differs, or which one is similar.")


class ParameterAnswer(BaseModel):
    """A parameter of a part."""

    name: str
    type: str = Field(description='int, float, bool, str, choice, a kind, or "list of" one.')
    default: Any = Field(description="null if it is required.")
    choices: list[Any] = Field(description="Values of a choice, or names of the parts of a kind.")
    label: str = Field(description="The usual term for it; empty if there is none.")


class PresetAnswer(BaseModel):
    """An algorithm with a name."""

    name: str
    title: str = Field(description="A line for lists and menus.")
    character: str = Field(description="What to expect of it; empty if it was not measured.")
    group: str = Field(description="The heading to list it under.")
    report: str = Field(description="Where it comes from.")
    about: str
    puzzle: str = Field(
        description="Its own puzzle: a bundled one, or an empty board.", examples=["empty 16"]
    )
    board: str = Field(description="Its own puzzle, as text.")
    box: str = Field(description="Of its own puzzle.", examples=["4x4"])
    until: str
    recipe: Recipe = Field(description="In full, with all defaults.")
    variants: dict[str, list[str]] = Field(
        description="Labels by axis. The name of a variant is the preset's with labels appended."
    )


class FullPresetAnswer(PresetAnswer):
    """A preset in full."""

    toml: str
    left_open: list[str] = Field(description="What the report left open, and what we chose.")
    differs: list[str] = Field(description="Where it knowingly differs from the report.")


class RecipeCheckRequest(RecipeRequest):
    """A preset or a recipe, with settings as `genoku solve --set` has them."""

    until: Until = ""
    puzzle: str | None = Field(None, max_length=100_000, description="Checked too, if given.")
    box: str | None = Field(None, max_length=20)
    name: str = Field("", max_length=200, description="Of the puzzle.")
    seed: Seed = 0


class Alternative(BaseModel):
    """A change that would fix a recipe."""

    path: str
    value: Any


class RecipeProblem(BaseModel):
    """Why a recipe cannot be run."""

    message: str
    path: str = Field(default="", description="The field at fault; empty for the whole recipe.")
    alternatives: list[Alternative] = []


class RecipeCheckAnswer(BaseModel):
    """Whether a recipe can be run, and if not, why."""

    ok: bool
    recipe: Recipe | None = Field(default=None, description="In full; null if it cannot be built.")
    toml: str = Field(default="", description="As a file; with a puzzle, all that defines a run.")
    name: str = Field(description="Display name.")
    until: str
    problem: RecipeProblem | None = None


class RecipeReadRequest(RequestModel):
    """The text of a recipe file."""

    text: str = Field(max_length=20_000, examples=['use = "annealing"'])


class RecipeReadAnswer(BaseModel):
    """The content of a recipe file."""

    recipe: Recipe
    name: str
    about: str
    until: str
    puzzle: str = Field(default="", description="The board; empty if the file has none.")
    box: str = Field(default="", description="Of the puzzle.")
    puzzle_name: str = Field(default="", description="Of a bundled puzzle.")
    seed: int | None


@in_worker(router.get("/catalogue", summary="All parts of recipes"))
def catalogue() -> list[PartAnswer]:
    """Every part of recipes, with its parameters."""
    from genoku.evolve import parts

    return [PartAnswer(**each) for each in parts.catalogue()]


@router.get("/presets", summary="All presets", response_model=list[PresetAnswer])
async def presets(services: AppServices) -> Any:
    """All presets, including the variants that are listed by name."""
    return await run_handler(services, "recipes.all_presets")


@router.get("/presets/{name}", summary="A preset in full", response_model=FullPresetAnswer)
async def preset(
    name: Annotated[str, Path(examples=["charles-elite"])], services: AppServices
) -> Any:
    """One preset or variant, such as `charles-elite`, in full."""
    return await run_handler(services, "recipes.full_preset", name)


@router.post("/recipes/check", summary="Check a recipe", response_model=RecipeCheckAnswer)
async def check(asked: RecipeCheckRequest, services: AppServices) -> Any:
    """Whether a recipe can be run; if not, the field at fault and values that would fit."""
    return await run_handler(services, "recipes.check", asked, services.limits)


@router.post("/recipes/read", summary="Read a recipe's file", response_model=RecipeReadAnswer)
async def read(asked: RecipeReadRequest, services: AppServices) -> Any:
    """Read the recipe of a TOML file. Users' own parts are not imported."""
    return await run_handler(services, "recipes.read", asked.text)
