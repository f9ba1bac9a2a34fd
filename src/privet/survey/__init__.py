"""Surveys: people disguise their own answers, and nobody ever holds a true answer."""

from privet.survey.forecast import Forecast, forecast
from privet.survey.questionnaire import Question, Questionnaire
from privet.survey.results import Results

__all__ = ["Forecast", "Question", "Questionnaire", "Results", "forecast"]
